import { spawn } from "node:child_process";
import { once } from "node:events";
import { Client, type VersionNegotiationMode } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../../collector-core/test/free-port.js";
import { OBSPAN, startBuiltCollector, killProgram } from "../harness/built-collector.js";
import { inherited } from "../harness/child-program.js";
import { ledgerAtRest } from "../harness/ledger.js";
import { sharedCollector } from "../harness/shared-collector.js";
import { runProgram } from "../harness/shell.js";
import { seededBatches } from "./seeded-bug.js";

/** Characters of a token, as it is usually estimated. */
const CHARACTERS_PER_TOKEN = 4;
/** The command does not read the configuration of a server. */
const NO_CONFIG = "/no-such-directory/obspan.yaml";

const collector = sharedCollector();

/** A client that starts `obspan mcp`, as coding agents do. */
async function stdioClient(url: string, mode: VersionNegotiationMode = "legacy"): Promise<Client> {
  const client = new Client({ name: "coding-agent", version: "1" }, { versionNegotiation: { mode } });
  onTestFinished(() => client.close());
  const env = Object.fromEntries(
    Object.entries(inherited()).filter(([, value]) => value !== undefined),
  ) as Record<string, string>;
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [OBSPAN, "mcp"],
      env: { ...env, OBS_SERVER_CONFIG: NO_CONFIG, OBS_PUSH_URL: url, OBS_API_KEY: "secret" },
    }),
  );
  return client;
}

/** What a call costs, and what a model reads of it. */
async function call(client: Client, name: string, args: Record<string, unknown>) {
  const result = await client.callTool({ name, arguments: args });
  const [content] = result.content;
  const text = content?.type === "text" ? content.text : "";
  const data = JSON.stringify(result.structuredContent ?? null);
  return {
    text,
    isError: result.isError === true,
    tokens: (text.length + data.length) / CHARACTERS_PER_TOKEN,
  };
}

async function send(url: string, batches: readonly object[]): Promise<void> {
  for (const batch of batches) {
    const { status } = await fetch(`${url}/v1/telemetry`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(batch),
    });
    expect(status).toBe(202);
  }
  await ledgerAtRest(url);
}

describe("contract 9 (MCP): obspan mcp", () => {
  it("lets a coding agent find a bug with three calls and less than 6,000 tokens of answers", async () => {
    const { url } = await collector();
    await send(url, seededBatches());
    const client = await stdioClient(url);

    // "Refunds fail since today." The script reads what a model reads, and has no other knowledge of the runs.
    const errors = await call(client, "list_errors", { query: "service:shop" });
    const [, bad = ""] = /amount #? ?is above the limit.*\| (bad0[0-9a-f]{28}) \|/.exec(errors.text) ?? [];
    expect(errors.text).toContain("amount # is above the limit of # for order #");
    expect(bad).toHaveLength(32);

    const runs = await call(client, "search_traces", { query: "name:refund-agent -has:error", limit: 1 });
    const [, good = ""] = /\| (900d[0-9a-f]{28}) \|/.exec(runs.text) ?? [];
    expect(good).toHaveLength(32);

    const comparison = await call(client, "compare_traces", { a: good, b: bad });
    // The tool gives cents where it gave EUR; the limit that refuses the refund is right.
    const [, before, after] = /"total":\s*\[-([\d.]+)-\]\[\+([\d.]+)\+\]/.exec(comparison.text) ?? [];
    expect(Number(before)).toBeCloseTo(132.9);
    expect(Number(after)).toBe(13_190);
    expect(comparison.text).toMatch(/get_order.*output/);
    expect(comparison.text).toContain("2.3.0");
    expect(comparison.text).toContain("2.4.0");

    const tokens = errors.tokens + runs.tokens + comparison.tokens;
    expect(tokens).toBeLessThan(6000);
  });

  it.each(["legacy", "auto"] as const)("passes everything on, with negotiation %s", async (mode) => {
    const { url } = await collector();
    await send(url, seededBatches().slice(0, 2));
    const client = await stdioClient(url, mode);
    expect(client.getServerVersion()?.name).toBe("obspan");
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === "legacy" ? "2025-11-25" : "2026-07-28");
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("get_trace");
    const { resources } = await client.listResources();
    const [first] = resources;
    const { contents } = await client.readResource({ uri: first?.uri ?? "" });
    expect(JSON.stringify(contents)).toContain("refund-agent");
    const prompt = await client.getPrompt({
      name: "why_did_this_cost_so_much",
      arguments: { trace_id: "ü 1" },
    });
    expect(JSON.stringify(prompt.messages)).toContain("ü 1");
    await expect(client.readResource({ uri: "obspan://trace/%C3%BC" })).rejects.toThrow(/not in the store/);
    const many = await Promise.all(Array.from({ length: 20 }, () => call(client, "search_traces", {})));
    expect(many.every(({ isError }) => !isError)).toBe(true);
  });

  it("tells a model that the collector is away, and goes on when it is back", async () => {
    const port = await freePort();
    const settings = { PORT: String(port), AUTH_API_KEYS: "secret" };
    const first = await startBuiltCollector(settings);
    const client = await stdioClient(first.url);
    const refused = await runProgram(process.execPath, [OBSPAN, "mcp", "--url", first.url], {
      env: { OBS_API_KEY: "wrong" },
      input: `{"jsonrpc":"2.0","id":7,"method":"ping"}`,
      timeoutMs: 60_000,
    });
    expect((JSON.parse(refused.stdout) as RpcAnswer).error?.message).toContain("set OBS_API_KEY");
    await killProgram(first);
    const away = await call(client, "search_traces", {});
    expect(away.isError).toBe(true);
    expect(away.text).toMatch(/No collector answers at http:\/\/127\.0\.0\.1:\d+: .*obspan serve --local/);
    await expect(client.listTools()).rejects.toThrow(/No collector answers/);
    const second = await startBuiltCollector(settings);
    onTestFinished(() => killProgram(second));
    expect((await call(client, "search_traces", {})).isError).toBe(false);
  });

  it("answers what is no message, and ends with its input", async () => {
    const { url } = await collector();
    const lines = ["{", "[]", `{"jsonrpc":"2.0","id":7,"method":"ping"}`, `{"x":"${"y".repeat(300_000)}"}`];
    const { stdout, code } = await runProgram(process.execPath, [OBSPAN, "mcp", "--url", url], {
      input: lines.join("\n"),
      timeoutMs: 60_000,
    });
    const answers = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as RpcAnswer);
    expect(code).toBe(0);
    expect(answers.filter(({ id }) => id === null).map(({ error }) => error?.code)).toEqual([
      -32_700, -32_600, -32_700,
    ]);
    expect(answers.find(({ id }) => id === 7)).toMatchObject({ result: {} });
  });

  it("ends without an error when its client reads no more, also while stdin is open", async () => {
    const { url } = await collector();
    const child = spawn(process.execPath, [OBSPAN, "mcp", "--url", url], { stdio: "pipe" });
    onTestFinished(() => void child.kill());
    let errors = "";
    child.stderr.on("data", (part: Buffer) => (errors += part.toString()));
    const message = `{"jsonrpc":"2.0","id":7,"method":"ping"}\n`;
    child.stdin.write(message);
    await once(child.stdout, "data");
    child.stdout.destroy();
    child.stdin.write(message);
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(errors).toBe("");
  });
});

interface RpcAnswer {
  readonly id: number | null;
  readonly error?: { readonly code: number; readonly message: string };
}
