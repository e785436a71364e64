import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { errorOf, startCollector } from "../running-collector.js";

const MIB = 2 ** 20;

function post(url: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Response> {
  const json = { "Content-Type": "application/json", ...headers };
  return fetch(`${url}/v1/evaluations`, { method: "POST", headers: json, body });
}

/** Sends a body without its last byte. */
function sendUnfinished(url: string, path: string, bytes: number): Socket {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`);
  socket.write(`Content-Length: ${bytes}\r\n\r\n${" ".repeat(bytes - 1)}`);
  return socket;
}

describe("the body of a query", () => {
  it("is charged to the memory of request bodies while it arrives", async () => {
    const { url } = await startCollector({ LIMITS_MAX_IN_FLIGHT_BYTES: String(4 * MIB) });
    for (let each = 0; each < 8; each++) sendUnfinished(url, "/v1/evaluations", MIB);
    const held = async (): Promise<number> => {
      const metrics = await (await fetch(`${url}/metrics`)).text();
      return Number(/^obs_in_flight_bytes\{kind="request_bodies"\} (\d+)$/m.exec(metrics)?.[1]);
    };
    await expect.poll(held, { timeout: 5000 }).toBe(2 * MIB);
  });

  it.each([
    ["too large", " ".repeat(MIB + 1), 413, "body_too_large"],
    ["nested too deep", "[".repeat(300_000) + "]".repeat(300_000), 400, "invalid_payload"],
    ["of too many objects", `[${"{},".repeat(200_000)}{}]`, 400, "invalid_payload"],
    ["not UTF-8", Buffer.from([0x22, 0xff, 0x22]), 400, "invalid_encoding"],
    ["empty", "", 400, "invalid_json"],
  ])("is refused if it is %s", async (_what, body, status, code) => {
    const { url } = await startCollector();
    expect(await errorOf(await post(url, body))).toMatchObject({ status, code });
  });

  it("may be compressed", async () => {
    const { url } = await startCollector();
    const { gzipSync } = await import("node:zlib");
    const body = gzipSync(JSON.stringify({ types: ["relevance"], trace_ids: ["t"] }));
    const error = await errorOf(await post(url, body, { "Content-Encoding": "gzip" }));
    expect(error.code).toBe("evaluation_unavailable");
  });

  it.each([
    ["POST", "/v1/evaluations", { types: ["relevance"], trace_ids: ["t"] }, 503],
    ["PUT", "/v1/views/mine", { name: "Slow tools", query: "tool:search" }, 200],
    ["POST", "/v1/session", { key: "secret" }, 204],
    ["POST", "/mcp", { jsonrpc: "2.0", id: 1, method: "ping" }, 200],
  ])("may be sent in chunks (%s %s)", async (method, path, body, status) => {
    const { url } = await startCollector({ AUTH_API_KEYS: "secret" });
    const headers = {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "X-API-Key": "secret",
    };
    const chunks = new Blob([JSON.stringify(body)]).stream();
    const response = await fetch(url + path, { method, headers, body: chunks, duplex: "half" });
    expect({ status: response.status, text: await response.text() }).toMatchObject({ status });
  });
});
