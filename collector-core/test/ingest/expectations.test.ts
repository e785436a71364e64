import { describe, expect, it } from "vitest";
import { span, startCollector } from "../running-collector.js";
import { connectRaw, until } from "./raw-connection.js";

function headOf(path: string, headers: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries({ Host: "127.0.0.1", "Content-Type": "application/json", ...headers });
  return `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
}

describe("contract 2: requests with an Expect header", () => {
  it.each(["/v1/telemetry", "/v1/import", "/v1/nothing"])(
    "answers an unknown expectation with an error body: %s",
    async (path) => {
      const { url } = await startCollector();
      const client = await connectRaw(url);
      client.socket.write(headOf(path, { Expect: "foo", "Content-Length": 2 }) + "{}");
      await until(() => client.isClosed());
      const answer = client.received();
      expect(answer).toMatch(/^HTTP\/1\.1 417/);
      expect(JSON.parse(answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1))).toMatchObject({
        error: { code: "expectation_failed", message: 'Expect must be 100-continue, got "foo".' },
      });
    },
  );

  it("answers an unknown expectation of an OTLP request in the OTLP format", async () => {
    const { url } = await startCollector();
    const client = await connectRaw(url);
    client.socket.write(headOf("/v1/traces", { Expect: "foo", "Content-Length": 0 }));
    await until(() => client.received().includes("expectation_failed: "));
    expect(client.received()).toContain("HTTP/1.1 417");
  });

  it.each([
    ["too large", { "Content-Length": 2 ** 40 }, "413", "body_too_large"],
    [
      "of another type",
      { "Content-Length": 2, "Content-Type": "text/plain" },
      "415",
      "unsupported_media_type",
    ],
  ] as const)("requests no body if the headers are refused: %s", async (_what, headers, status, code) => {
    const { url } = await startCollector();
    const client = await connectRaw(url);
    client.socket.write(headOf("/v1/telemetry", { Expect: "100-continue", ...headers }));
    await until(() => client.received().includes(code));
    expect(client.received()).toMatch(new RegExp(`^HTTP/1.1 ${status}`));
    expect(client.received()).not.toContain("100 Continue");
  });

  it.each([
    ["/v1/telemetry", JSON.stringify({ spans: [span()] }), "202"],
    ["/v1/traces", '{"resourceSpans":[]}', "200"],
    ["/v1/import", '{"resourceSpans":[]}\n', "200"],
  ])("requests the body with 100 Continue: %s", async (path, body, status) => {
    const { url } = await startCollector();
    const client = await connectRaw(url);
    client.socket.write(headOf(path, { Expect: "100-continue", "Content-Length": body.length }));
    await until(() => client.received().includes("HTTP/1.1 100 Continue"));
    client.socket.write(body);
    await until(() => client.received().includes(`HTTP/1.1 ${status}`));
  });
});
