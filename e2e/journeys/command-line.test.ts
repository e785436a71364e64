import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { OBSPAN } from "../harness/built-collector.js";
import { ledgerAtRest } from "../harness/ledger.js";
import { sharedCollector } from "../harness/shared-collector.js";
import { runProgram, type CommandResult } from "../harness/shell.js";
import { supportRun } from "../screen/support-run.js";

/** Nothing listens there. */
const NOWHERE = "http://127.0.0.1:1";
const GOOD = "a".repeat(32);
const BAD = "b".repeat(32);

const collector = sharedCollector({ AUTH_API_KEYS: "secret" });
let url = "";

interface RunOptions {
  readonly env?: Record<string, string>;
  readonly input?: string;
}

/** What a person types, with the address and the key in the environment. */
async function obspan(args: readonly string[], { env = {}, input }: RunOptions = {}): Promise<CommandResult> {
  return await runProgram(process.execPath, [OBSPAN, ...args], {
    env: { OBS_PUSH_URL: url, OBS_API_KEY: "secret", TZ: "UTC", ...env },
    timeoutMs: 60_000,
    ...(input !== undefined && { input }),
  });
}

/** The values of `--json`. */
function jsonLines<Value = Record<string, unknown>>({ stdout }: CommandResult): Value[] {
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Value);
}

async function send(spans: readonly object[]): Promise<void> {
  const { status } = await fetch(`${url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-API-Key": "secret" },
    body: JSON.stringify({ service: "support", env: "production", spans }),
  });
  expect(status).toBe(202);
  await ledgerAtRest(url);
}

beforeAll(async () => {
  ({ url } = await collector());
  await send(supportRun({ traceId: GOOD, startMs: Date.parse("2026-11-20T10:00:00Z") }));
  await send(supportRun({ traceId: BAD, startMs: Date.parse("2026-11-20T11:00:00Z"), status: "ERROR" }));
});

describe("contract 9: the command line asks a running collector", () => {
  it("lists every command in groups, and the help of each", async () => {
    const help = await obspan(["--help"]);
    expect(help.code).toBe(0);
    expect(help.stdout).toMatch(/Ask a collector:\n {2}traces /);
    expect(await obspan(["traces", "--help"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("--group-by <key>"),
    });
    expect(await obspan(["tracs"])).toMatchObject({ code: 2, stderr: expect.stringContaining("traces") });
  });

  it("lists traces by a query, as a table and as JSON lines", async () => {
    const table = await obspan(["traces"]);
    expect(table).toMatchObject({ code: 0, stderr: "" });
    const [header, newest, oldest] = table.stdout.split("\n");
    expect(header).toMatch(/^ID +STARTED +STATUS +NAME/);
    expect(newest).toMatch(/^bbbbbbbb .* error .*support\.resolve_ticket/);
    expect(oldest).toMatch(/^aaaaaaaa .* ok .*support\.resolve_ticket/);
    expect(table.stdout).not.toContain("\u001b");

    const failed = await obspan(["traces", "status:error", "duration:>2s", "--json"]);
    expect(jsonLines(failed)).toEqual([expect.objectContaining({ trace_id: BAD, status: "ERROR" })]);
    const others = await obspan(["traces", "--json", "-status:ERROR", "--limit", "5"]);
    expect(jsonLines(others)).toEqual([expect.objectContaining({ trace_id: GOOD })]);
    const one = await obspan(["traces", "--limit", "1", "--sort", "start"]);
    expect(one.stdout.match(/support\.resolve_ticket/g)).toHaveLength(1);
    expect(one.stderr).toContain("--limit");
  });

  it("groups traces", async () => {
    const table = await obspan(["traces", "--group-by", "status"]);
    expect(table.stdout).toMatch(/^STATUS +RUNS +ERRORS/);
    expect(table.stdout).toMatch(/\nERROR +1 +100 %/);
    const json = await obspan(["traces", "--group-by", "service", "--sort", "p95", "--json"]);
    expect(jsonLines(json)).toEqual([expect.objectContaining({ value: "support", runs: 2 })]);
  });

  it("exits with 2, 3 and 4 for a bad query, no match and no collector, and names the remedy", async () => {
    const query = await obspan(["traces", "modell:gpt-4o"]);
    expect(query).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining('"modell"') });
    for (const args of [
      ["--sort", "p95"],
      ["--limit", "0"],
      ["--group-by", "model", "--sort", "newest"],
      ["--wat"],
    ])
      expect((await obspan(["traces", ...args])).code, args.join(" ")).toBe(2);
    expect(await obspan(["traces", "name:nothing", "--json"])).toMatchObject({ code: 3, stdout: "" });

    const away = await obspan(["traces", "--url", NOWHERE]);
    expect(away).toMatchObject({ code: 4, stdout: "", stderr: expect.stringContaining("ECONNREFUSED") });
    expect(away.stderr).toContain("obspan serve");
    expect((await obspan(["traces", "--url", "nowhere"])).code).toBe(2);
    const wrong = await obspan(["traces"], { env: { OBS_API_KEY: "wrong" } });
    expect(wrong).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("OBS_API_KEY") });
    const pushUrl = { OBS_PUSH_URL: `${url}/v1/telemetry` };
    expect((await obspan(["traces"], { env: pushUrl })).code).toBe(0);
  });

  it("does not take another server for a collector", async () => {
    const server = createServer((_request, response) => void response.end("<html>"));
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const other = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const run = await obspan(["traces", "--url", other]);
    expect(run).toMatchObject({ code: 4, stdout: "", stderr: expect.stringContaining("is not JSON") });
  });
});
