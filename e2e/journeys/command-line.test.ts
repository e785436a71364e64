import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { collectorForTest, killProgram, OBSPAN } from "../harness/built-collector.js";
import { startProgram, type ChildProgram } from "../harness/child-program.js";
import { runCommandHere } from "../harness/command-here.js";
import { guideBlocks } from "../harness/guide-snippet.js";
import { ledgerAtRest } from "../harness/ledger.js";
import { sharedCollector } from "../harness/shared-collector.js";
import { runProgram, type CommandResult } from "../harness/shell.js";
import { until, within } from "../harness/until.js";
import { supportRun } from "../screen/support-run.js";

/** Nothing listens there. */
const NOWHERE = "http://127.0.0.1:1";
const GOOD = "a".repeat(32);
const BAD = "b".repeat(32);
/** It clears the screen, sets the title, breaks the line and turns the direction of text round. */
const HOSTILE = "evil\u001b[2J\u001b]0;owned\u0007\r\n\u202egnp.exe\u009b31m";
/** A character that a text of a sender must not bring to a terminal. A table has no others than line breaks. */
// oxlint-disable-next-line no-control-regex
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

const collector = sharedCollector({ AUTH_API_KEYS: "secret" });
let url = "";

interface RunOptions {
  readonly env?: Record<string, string>;
  readonly input?: string;
}

/** What a person types, with the address and the key in the environment. What reads stdin is a process of its own. */
async function obspan(args: readonly string[], { env = {}, input }: RunOptions = {}): Promise<CommandResult> {
  const variables = { OBS_PUSH_URL: url, OBS_API_KEY: "secret", TZ: "UTC", ...env };
  if (input === undefined) return await runCommandHere(args, variables);
  return await runProgram(process.execPath, [OBSPAN, ...args], {
    env: variables,
    timeoutMs: 60_000,
    input,
  });
}

/** The values of `--json`. */
function jsonLines<Value = Record<string, unknown>>({ stdout }: CommandResult): Value[] {
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Value);
}

/** A line of a terminal without its colours. */
function plain(line: string): string {
  // oxlint-disable-next-line no-control-regex
  return line.replace(/\u001b\[\d+m/g, "");
}

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "obspan-command-line-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
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

/** A way to the collector that can be closed and opened again, and knows who follows the live feed. */
interface Door {
  readonly url: string;
  readonly readers: () => number;
  close(): Promise<void>;
  open(): Promise<void>;
}

async function door(): Promise<Door> {
  let readers = 0;
  let server: Server | undefined;
  let port = 0;
  async function open(): Promise<void> {
    const opened = createServer((incoming, outgoing) => {
      const { method, headers, url: path = "/" } = incoming;
      const asked = request(url + path, { method, headers }, (response) => {
        if (path.startsWith("/v1/live")) {
          readers++;
          outgoing.once("close", () => readers--);
        }
        outgoing.writeHead(response.statusCode ?? 500, response.headers);
        response.pipe(outgoing);
      });
      asked.on("error", () => outgoing.destroy());
      outgoing.once("close", () => asked.destroy());
      incoming.pipe(asked);
    });
    server = opened;
    await new Promise<void>((resolve) => opened.listen(port, "127.0.0.1", resolve));
    ({ port } = opened.address() as AddressInfo);
  }
  async function close(): Promise<void> {
    const closed = server;
    if (closed === undefined) return;
    server = undefined;
    const ended = new Promise((resolve) => closed.close(resolve));
    closed.closeAllConnections();
    await ended;
  }
  await open();
  onTestFinished(close);
  return { url: `http://127.0.0.1:${port}`, readers: () => readers, open, close };
}

/** Starts `obspan tail`, and waits until it follows. */
async function tail(way: Door, args: readonly string[]): Promise<ChildProgram> {
  const program = startProgram(process.execPath, [OBSPAN, "tail", ...args], {
    OBS_PUSH_URL: way.url,
    OBS_API_KEY: "secret",
  });
  onTestFinished(() => killProgram(program));
  await until("the live feed has a reader", () => way.readers() > 0 || undefined, 60_000);
  return program;
}

/** A trace whose texts are hostile to a terminal. It calls a tool four times with the same arguments. */
function hostileRun(traceId: string): object[] {
  const span = (index: number, fields: object): object => ({
    name: HOSTILE,
    trace_id: traceId,
    span_id: `h${index}`,
    parent_span_id: index === 0 ? null : "h0",
    start_time: Date.parse("2024-11-20T12:00:00Z") + index * 100,
    duration_ms: 50,
    ...fields,
  });
  const attributes = { session_id: HOSTILE, user_id: HOSTILE, agent: HOSTILE, input_text: HOSTILE };
  return [
    span(0, { span_type: "agent", attributes: { ...attributes, output_text: HOSTILE } }),
    span(1, {
      span_type: "llm",
      attributes: {
        model: HOSTILE,
        tokens_input: 2000,
        prompt_messages: [{ role: "user", parts: [{ type: "text", content: HOSTILE }] }],
        completion_text: HOSTILE,
        [HOSTILE]: HOSTILE,
      },
    }),
    ...[2, 3, 4, 5].map((index) =>
      span(index, {
        span_type: "tool",
        status: "ERROR",
        attributes: {
          tool_name: "look",
          input_text: "{}",
          error_type: "other",
          error_message: `${HOSTILE} ${index}`,
        },
      }),
    ),
  ];
}

beforeAll(async () => {
  ({ url } = await collector());
  await send(supportRun({ traceId: GOOD, startMs: Date.parse("2024-11-20T10:00:00Z") }));
  await send(supportRun({ traceId: BAD, startMs: Date.parse("2024-11-20T11:00:00Z"), status: "ERROR" }));
});

describe("contract 9: the command line asks a running collector", () => {
  it("lists every command in groups, and the help of each", async () => {
    const help = await obspan(["--help"]);
    expect(help.code).toBe(0);
    expect(help.stdout).toMatch(/Ask a collector:\n[^]* {2}traces /);
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
    // The collector computed the cost of the embedding.
    expect(newest).toContain(" ≈ $0.0466");

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
    expect(table.stdout).toMatch(/\nERROR +1 +100 %.* ≈ \$0\.0466 +≈ \$0\.0466/);
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
      expect(await obspan(["traces", ...args]), args.join(" ")).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/^obspan: .*--(sort|limit|wat)/),
      });
    expect((await obspan(["traces", "--wat"])).stderr).toContain("`obspan traces --help`");
    expect((await obspan(["trase"])).stderr).toMatch(/Did you mean [^]*`obspan --help`/);
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

  it("does not take what another server sends for a file, nor for an answer to spans", async () => {
    const server = createServer((request, response) => {
      request.resume().once("end", () => response.end('{"traces":[{"trace_id":"cccc"}],"uptime_seconds":1}'));
    });
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const other = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const directory = mkdtempSync(join(tmpdir(), "obspan-other-server-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    for (const args of [
      ["export", "--output", join(directory, "traces.jsonl")],
      ["share", "latest", "--output", join(directory, "trace.html")],
      ["store", "backup", join(directory, "backup.db")],
      ["send", "-"],
    ]) {
      const run = await obspan([...args, "--url", other], { input: '{"name":"a","trace_id":"b"}' });
      expect(run, args.join(" ")).toMatchObject({
        code: 4,
        stdout: "",
        stderr: expect.stringContaining("is no collector") as string,
      });
    }
    expect(readdirSync(directory)).toEqual([]);
  });

  it("shows the reason of a refusal without effect on the terminal", async () => {
    const server = createServer((request, response) => {
      response.statusCode = 400;
      const error = { code: "invalid_payload", message: "\u001b]0;owned\u0007\u009b2J" };
      request.resume().once("end", () => response.end(JSON.stringify({ error })));
    });
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const other = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const run = await obspan(["send", "-", "--url", other], { input: '{"name":"a","trace_id":"b"}' });
    expect(run).toMatchObject({ code: 1, stderr: "line 1: \\x1b]0;owned\\x07\\x9b2J (invalid_payload)\n" });
  });

  it("says which part of an answer it cannot read", async () => {
    const answers: Readonly<Record<string, string>> = {
      "/v1/traces": '{"traces":[{"trace_id":"cccc","models":7}],"next_cursor":null}',
      "/v1/trace": '{"trace":{},"spans":[null]}',
      "/v1/sessions": '{"sessions":7,"next_cursor":null}',
      "/v1/telemetry": "null",
      "/v1/store": '{"directory":"/traces"}',
    };
    const server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? "", "http://collector");
      request.resume().once("end", () => response.end(answers[pathname] ?? "{}"));
    });
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const other = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const span = '{"name":"a","trace_id":"b"}';
    for (const [args, place] of [
      [["traces"], "/v1/traces cannot be read: /traces/0 is not as expected"],
      [["trace", "latest"], "/v1/trace cannot be read: /trace is not as expected"],
      [["errors"], "/v1/trace cannot be read: /trace is not as expected"],
      [["sessions"], "/v1/sessions cannot be read: /sessions is not as expected"],
      [["store", "info"], "/v1/store cannot be read: the value is not as expected"],
      [["send", "-"], "/v1/telemetry cannot be read: the value is not as expected"],
    ] as const) {
      const run = await obspan([...args, "--url", other], args[0] === "send" ? { input: span } : {});
      expect(run, args.join(" ")).toMatchObject({ code: 4, stderr: expect.stringContaining(place) });
      expect(run.stderr.trimEnd(), args.join(" ")).not.toContain("\n");
    }
  });

  it.skipIf(process.platform !== "linux")("names a file that cannot be read", async () => {
    // Reading the memory of a process from its start is refused with EIO.
    const run = await obspan(["send", "/proc/self/mem"]);
    expect(run).toMatchObject({ code: 1, stderr: expect.stringMatching(/^obspan: .*EIO.*\n$/) });
  });

  it("shows a trace as an outline with numbered steps, errors and totals", async () => {
    const outline = await obspan(["trace", "bbbb"], { env: { COLUMNS: "120" } });
    expect(outline).toMatchObject({ code: 0, stderr: "" });
    expect(outline.stdout).toMatch(/^support\.resolve_ticket {2}error/);
    expect(outline.stdout).toContain(BAD);
    expect(outline.stdout).toMatch(/5 model calls\s(?:· )?7 tool calls · 2 errors/);
    expect(outline.stdout).toMatch(/tokens\s(?:· )?≈ \$0\.0466/);
    expect(outline.stdout).toMatch(/embed_query .*≈ </);
    expect(outline.stdout).toMatch(/plan_resolution .* \$0\.0138/);
    expect(outline.stdout).toMatch(/\n *\d+ {2}├ get_shipping_status .*error/);
    expect(outline.stdout).toMatch(
      /Errors\n(.*\n)* {2}#\d+ get_shipping_status: TimeoutError: no answer within/,
    );
    for (const line of outline.stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(120);

    const [json] = jsonLines<{
      steps: { number: number; name: string; span_id: string }[];
      errors: object[];
    }>(await obspan(["trace", "latest", "--json"]));
    const plan = json?.steps.find(({ name }) => name === "plan_resolution");
    expect(json?.errors).toContainEqual(expect.objectContaining({ name: "get_shipping_status" }));

    const step = await obspan(["trace", BAD, "--step", String(plan?.number)]);
    expect(step.stdout).toContain(`#${plan?.number} plan_resolution`);
    expect(step.stdout).toContain("claude-sonnet-5");
    expect(step.stdout).toContain("── Output");
    expect(jsonLines(await obspan(["trace", BAD, "--step", String(plan?.number), "--json"]))).toEqual([
      expect.objectContaining({ span_id: plan?.span_id, name: "plan_resolution" }),
    ]);
    const context = await obspan(["trace", BAD, "--context", "--step", String(plan?.number)]);
    expect(context.stdout).toMatch(/4,980 input tokens[^]*PART +≈ TOKENS +SHARE/);
    expect(jsonLines(await obspan(["trace", BAD, "--context", "--json"]))[0]).toHaveProperty("parts");
  });

  it("compares a trace with an earlier one", async () => {
    const text = await obspan(["trace", BAD, "--compare", GOOD]);
    expect(text.stdout).toMatch(/^A {2}a{32}.*\nB {2}b{32}/);
    expect(text.stdout).toMatch(/FIGURE +A +B/);
    expect(text.stdout).toMatch(/\ncost +≈ \$0\.0466 +≈ \$0\.0466/);
    const [json] = jsonLines(await obspan(["trace", BAD, "--compare", GOOD, "--json"]));
    expect(json).toMatchObject({ a: { trace_id: GOOD }, b: { trace_id: BAD } });
    expect((await obspan(["trace", BAD, "--compare", GOOD, "--context"])).code).toBe(2);
  });

  it("exits with 3 for a trace or a step that does not exist", async () => {
    const unknown = await obspan(["trace", "c".repeat(32)]);
    expect(unknown).toMatchObject({ code: 3, stdout: "", stderr: expect.stringContaining("c".repeat(32)) });
    expect((await obspan(["trace", "cccc"])).code).toBe(3);
    expect((await obspan(["trace", BAD, "--step", "999"])).code).toBe(3);
    expect((await obspan(["trace"])).code).toBe(2);
  });

  it("lists sessions, errors by the shape of their message, and statistics", async () => {
    const sessions = await obspan(["sessions"]);
    expect(sessions.stdout).toMatch(/^SESSION +LAST[^]*\nsess_4821 .* 2 .* ≈ \$0\.0932/);
    expect(jsonLines(await obspan(["sessions", "user:u_1093", "--json"]))).toEqual([
      expect.objectContaining({ session_id: "sess_4821", traces: 2 }),
    ]);
    expect((await obspan(["sessions", "user:nobody"])).code).toBe(3);

    const errors = await obspan(["errors"]);
    expect(errors.stdout).toMatch(/ 2 .*get_shipping_status +TimeoutError +[ab]{8} +no answer within # ms/);
    expect(jsonLines(await obspan(["errors", "tool:get_shipping_status", "--json"]))).toContainEqual(
      expect.objectContaining({ shape: "no answer within # ms", traces: 2, errors: 2 }),
    );
    expect((await obspan(["errors", "name:nothing"])).code).toBe(3);

    const stats = await obspan(["stats", "--window", "24h", "--group-by", "model"]);
    expect(stats.stdout).toMatch(/\nclaude-sonnet-5 .* \$0\.0800\n[^]*\nall .* ≈ \$0\.0932\n/);
    const narrow = await obspan(["stats", "--group-by", "tool"], { env: { COLUMNS: "60" } });
    expect(narrow.stdout).toMatch(/\nTOOL_NAME .* TOOLS +TOOL ERRORS/);
    expect(narrow.stdout).toContain("\nget_shipping_status ");
    for (const line of narrow.stdout.split("\n")) expect(line.length, line).toBeLessThanOrEqual(60);
    expect(jsonLines(await obspan(["stats", "--json"]))[0]).toHaveProperty("total.window.calls");
    expect((await obspan(["stats", "--window", "48h"])).code).toBe(2);
    expect((await obspan(["stats", "--agent", "nobody"])).code).toBe(3);
  });

  it("prints texts of senders so that they cannot drive the terminal, also with colours", async () => {
    const id = "d".repeat(32);
    await send(hostileRun(id));
    for (const args of [
      ["traces", "--limit", "1"],
      ["traces", "--group-by", "model"],
      ["sessions"],
      ["errors"],
      ["stats", "--group-by", "model"],
      ["trace", id],
      ["trace", id, "--step", "1"],
      ["trace", id, "--context"],
      ["trace", id, "--compare", GOOD],
      ["trace", HOSTILE],
    ]) {
      const { stdout, stderr } = await obspan(args);
      expect(stdout + stderr, args.join(" ")).toContain("evil");
      expect((stdout + stderr).replace(/\t/g, ""), args.join(" ")).not.toMatch(UNSAFE);
    }
    const outline = await obspan(["trace", id]);
    expect(outline.stdout).toContain("4 calls with the same arguments");
    const [json] = jsonLines(await obspan(["traces", "--limit", "1", "--json"]));
    expect(json).toMatchObject({ root_name: HOSTILE });
  });

  it("follows traces that match, also after the collector was away", async () => {
    const way = await door();
    const program = await tail(way, ["--json", "model:gpt-5-mini", "-status:ERROR"]);
    const shown = (): string[] =>
      program
        .stdout()
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => (JSON.parse(line) as { trace_id: string }).trace_id);
    const startMs = Date.parse("2024-11-20T13:00:00Z");
    await send(supportRun({ traceId: "tail-failed", startMs, status: "ERROR" }));
    await send([{ name: "other", trace_id: "tail-other", duration_ms: 1 }]);
    await send(supportRun({ traceId: "tail-first", startMs }));
    await until("the trace is shown", () => shown().includes("tail-first") || undefined, 30_000);
    await way.close();
    await until("it says so", () => program.stderr.some((line) => line.includes("again…")) || undefined);
    await send(supportRun({ traceId: "tail-meanwhile", startMs }));
    await way.open();
    await until("the missed trace is shown", () => shown().includes("tail-meanwhile") || undefined, 60_000);
    expect(shown()).toEqual(["tail-first", "tail-meanwhile"]);
    expect(program.stderr).toContain("Connected again.");
  });

  it("follows as a table, shows a running trace at once, and ends after --limit", async () => {
    const way = await door();
    const program = await tail(way, ["--last", "1", "--limit", "3"]);
    const running = { name: HOSTILE, trace_id: "tail-running", span_id: "1", start_time: Date.now() };
    await send([{ ...running, status: "RUNNING" }]);
    await until("it is shown", () => program.stdout().split("\n").length > 3 || undefined, 30_000);
    await send([{ ...running, duration_ms: 5 }]);
    expect(await within("tail ends", program.exit, 60_000)).toMatchObject({ code: 0 });
    const lines = program.stdout().trimEnd().split("\n");
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^ID +STARTED +STATUS/);
    expect(lines[2]).toMatch(/^tail-run.* running .*evil/);
    expect(lines[3]).toMatch(/^tail-run.* ok .*evil/);
    expect(program.stdout()).not.toMatch(UNSAFE);
  });

  it("does not follow with a bad query, a wrong key or without a collector", async () => {
    expect((await obspan(["tail", "modell:x"])).code).toBe(2);
    expect((await obspan(["tail", "--url", NOWHERE])).code).toBe(4);
    expect((await obspan(["tail"], { env: { OBS_API_KEY: "wrong" } })).code).toBe(1);
  });

  it("ends without an error when its reader has gone", async () => {
    const { code, stdout, stderr } = await runProgram(
      "bash",
      ["-c", `"$0" "$1" traces --limit 5 --json | true; echo "\${PIPESTATUS[0]}"`, process.execPath, OBSPAN],
      { env: { OBS_PUSH_URL: url, OBS_API_KEY: "secret" }, timeoutMs: 60_000 },
    );
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "0\n", stderr: "" });
  });

  it("checks what runs must be like, with a report and annotations", async () => {
    const directory = temporaryDirectory();
    const junit = join(directory, "report.xml");
    const score = (traceId: string, value: number): object => ({
      name: "evaluation.relevance",
      span_type: "evaluation",
      trace_id: traceId,
      attributes: { evaluation_type: "relevance", evaluation_score: value, evaluation_source: "user" },
    });
    await send([score(GOOD, 0.9), score(BAD, 0.4)]);
    const query = ["--query", `trace_id:${GOOD},${BAD}`];
    const met = ["--expect", "cost_per_run<$0.05", "--expect", "p95<20s", "--expect", "runs=2"];
    expect(await obspan(["eval", ...query, ...met, "--expect", "score:relevance>=0.6"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("4 of 4 expectations are met by 2 runs."),
    });

    const missed = [
      "--expect",
      "error_rate<5%",
      "--expect",
      "min_score:relevance>=0.7",
      "--expect",
      "score:tone>0.5",
    ];
    const run = await obspan(["eval", ...query, ...met, ...missed, "--junit", junit], {
      env: { GITHUB_ACTIONS: "true" },
    });
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/✗ missed +error_rate<5% +50 % +2 +bbbbbbbb/);
    expect(run.stdout).toContain("no run has a score of type tone");
    expect(run.stderr.match(/^::error title=obspan eval::.*/gm)).toEqual([
      `::error title=obspan eval::error_rate<5%25: it is 50 %25 in 2 runs. Worst: ${BAD}.`,
      `::error title=obspan eval::min_score:relevance>=0.7: it is 0.40 in 2 runs. Worst: ${BAD}.`,
      "::error title=obspan eval::score:tone>0.5: no run has a score of type tone.",
    ]);
    const report = readFileSync(junit, "utf8");
    expect(report).toContain('tests="6" failures="3"');
    expect(report).toContain('name="error_rate&lt;5%"');

    const json = await obspan(["eval", ...query, "--json", ...missed.slice(0, 2)]);
    expect(jsonLines(json)).toEqual([
      { expectation: "error_rate<5%", met: false, value: 0.5, runs: 2, worst: [BAD] },
    ]);
    const newest = await obspan(["eval", ...query, "--limit", "1", "--expect", "runs=1"]);
    expect(newest).toMatchObject({
      code: 0,
      stderr: "More runs match than the newest 1: --limit reads more.\n",
    });
    const none = ["eval", "--query", "name:nothing", "--expect", "error_rate<1"];
    expect((await obspan(none)).code).toBe(3);
    expect((await obspan([...none, "--allow-empty"])).code).toBe(0);
    for (const wrong of ["eror_rate<1", "error_rate", "p95<fast", "score:<1"])
      expect((await obspan(["eval", "--query", "x", "--expect", wrong])).code, wrong).toBe(2);
    expect((await obspan(["eval", "--query", "x"])).code).toBe(2);
  });

  it("waits for runs that are not complete", async () => {
    const running = { name: "slow", trace_id: "wait-run", span_id: "1", start_time: Date.now() };
    await send([{ ...running, status: "RUNNING" }]);
    const program = startProgram(
      process.execPath,
      [OBSPAN, "eval", "--query", "trace_id:wait-run", "--expect", "error_rate=0", "--wait", "5m"],
      { OBS_PUSH_URL: url, OBS_API_KEY: "secret" },
    );
    onTestFinished(() => killProgram(program));
    await until("it waits", () => program.stderr.find((line) => line.includes("0 of 1")), 60_000);
    await send([{ ...running, duration_ms: 5 }]);
    expect(await within("eval ends", program.exit, 60_000)).toMatchObject({ code: 0 });
  });

  it("sends spans of JSON, JSON lines and OTLP, and says what was refused", async () => {
    const directory = temporaryDirectory();
    const file = join(directory, "batch.json");
    const span = (id: string): object => ({ name: "sent", trace_id: id, duration_ms: 1 });
    writeFileSync(
      file,
      JSON.stringify({ service: "files", spans: [span("send-1"), span("send-2")] }, null, 2),
    );
    expect(await obspan(["send", file])).toMatchObject({ code: 0, stdout: "2 spans accepted.\n" });
    const lines = ["send-3", "send-4"].map((id) => JSON.stringify(span(id))).join("\n");
    expect(jsonLines(await obspan(["send", "-", "--service", "piped", "--json"], { input: lines }))).toEqual([
      { accepted: 2, refused: 0, problems: [] },
    ]);
    const otlp = {
      traceId: "e".repeat(32),
      spanId: "f".repeat(16),
      name: "otlp",
      startTimeUnixNano: "1",
      endTimeUnixNano: "2",
    };
    const request = { resourceSpans: [{ scopeSpans: [{ spans: [otlp, { ...otlp, traceId: "short" }] }] }] };
    const partly = await obspan(["send"], { input: JSON.stringify(request) });
    expect(partly).toMatchObject({ code: 1, stdout: "1 span accepted, 1 span refused.\n" });

    const mixed = `${JSON.stringify(span("send-5"))}\nnonsense\n{"a":1}\n{"name":"","trace_id":"send-6"}\n`;
    const refused = await obspan(["send"], { input: mixed });
    expect(refused).toMatchObject({ code: 1, stdout: "1 span accepted, 1 span refused.\n" });
    expect(refused.stderr).toMatch(/line 2: it is not JSON\nline 3: .*"trace_id".*\nline 4: .*name/);
    await ledgerAtRest(url);
    const stored = await obspan(["traces", "trace_id:send-1,send-2,send-3,send-4,send-5", "--json"]);
    expect(jsonLines(stored)).toHaveLength(5);
    expect((await obspan(["traces", "service:piped", "--json"])).stdout).toContain("send-4");

    const unreadable = await obspan(["send"], { input: '{"resourceSpans":[{"scopeSpans":5}]}' });
    expect(unreadable).toMatchObject({ code: 1, stderr: expect.stringContaining("line 1: ") });
    expect((await obspan(["send"], { input: "" })).code).toBe(3);
    expect((await obspan(["send"], { input: "{\nnonsense" })).code).toBe(1);
    expect((await obspan(["send", join(directory, "absent")])).code).toBe(1);
    const wrong = { env: { OBS_API_KEY: "wrong" }, input: lines };
    expect(await obspan(["send"], wrong)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("OBS_API_KEY"),
    });
  });

  it("exports traces to a file or to stdout, and imports them without loss", async () => {
    const directory = temporaryDirectory();
    const file = join(directory, "traces.otlp.jsonl");
    const query = `trace_id:${GOOD},${BAD}`;
    expect(await obspan(["export", query, "-o", file])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^2 traces, .* written to /),
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const piped = await obspan(["export", query]);
    expect(piped.stdout).toBe(readFileSync(file, "utf8"));
    expect((await obspan(["export", query, "-o", file])).code).toBe(1);
    expect(jsonLines(await obspan(["export", query, "-o", file, "--force", "--json"]))).toEqual([
      expect.objectContaining({ file, traces: 2 }),
    ]);
    const empty = join(directory, "empty.jsonl");
    expect((await obspan(["export", "name:nothing", "-o", empty])).code).toBe(3);
    expect(readdirSync(directory)).toEqual(["traces.otlp.jsonl"]);

    const read = async (): Promise<string> =>
      await (
        await fetch(`${url}/v1/trace?trace_id=${GOOD}&full=1`, { headers: { "X-API-Key": "secret" } })
      ).text();
    const before = await read();
    await fetch(`${url}/v1/traces/${GOOD}`, { method: "DELETE", headers: { "X-API-Key": "secret" } });
    expect(await obspan(["import", file])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^2 traces with \d+ spans imported\.\n$/),
    });
    expect(JSON.parse(await read())).toEqual(JSON.parse(before));
    const broken = await obspan(["import", "--json"], { input: `${piped.stdout}nonsense\n` });
    expect(broken).toMatchObject({ code: 1, stderr: expect.stringContaining("line ") });
    expect(jsonLines(broken)).toEqual([expect.objectContaining({ traces: 2, refused_lines: 1 })]);
    expect((await obspan(["import", "--url", NOWHERE, file])).code).toBe(4);
    expect((await obspan(["import", directory])).code).toBe(1);
    expect(await obspan(["import"], { input: "\n" })).toMatchObject({
      code: 3,
      stdout: "",
      stderr: "There is nothing to import.\n",
    });
  });

  it("writes one trace or one session to a file to share, with personal data replaced", async () => {
    const directory = temporaryDirectory();
    const file = join(directory, "run.html");
    await send([
      {
        name: "mail",
        trace_id: "share-1",
        duration_ms: 1,
        attributes: { input_text: "to ann@example.com", session_id: "chat-1" },
      },
    ]);
    const shared = await obspan(["share", "share-1", "-o", file]);
    expect(shared).toMatchObject({ code: 0, stdout: `${file}\n` });
    const html = readFileSync(file, "utf8");
    expect(html).toContain("<html");
    expect(html).not.toContain("ann@example.com");
    expect((await obspan(["share", "share-1", "-o", file])).code).toBe(1);
    const markdown = await obspan(["share", "share-1", "--format", "markdown", "--raw", "-o", "-"]);
    expect(markdown.stdout).toMatch(/^# Trace: mail[^]*ann@example\.com/);
    const lines = await obspan(["share", BAD.slice(0, 8), "--format", "jsonl", "-o", "-"]);
    expect(jsonLines(lines)[0]).toHaveProperty("resourceSpans");
    const session = await obspan(["share", "chat-1", "--session", "-o", "-"]);
    expect(session.stdout).toMatch(/^# Session: chat-1[^]*## Turn 1,/);
    expect(session.stdout).not.toContain("ann@example.com");
    const turns = await obspan(["share", "chat-1", "--session", "--format", "jsonl", "-o", "-"]);
    expect(jsonLines(turns)).toHaveLength(1);
    const page = await obspan(["share", "chat-1", "--session", "--format", "html", "-o", "-"]);
    expect(page.stdout).toMatch(/^<!doctype html>[^]*<title>chat-1 · Obspan session<\/title>/);
    expect(page.stdout).not.toContain("ann@example.com");
    expect((await obspan(["share", "absent", "--session", "-o", "-"])).code).toBe(3);
    expect((await obspan(["share", "absent", "-o", join(directory, "absent.html")])).code).toBe(3);
    expect(readdirSync(directory)).toEqual(["run.html"]);
  });

  it.runIf(existsSync("/usr/bin/script")).each([80, 160])(
    "fits a terminal of %i columns, with colours",
    async (columns) => {
      const run = async (args: string, env: Record<string, string> = {}, expected = 0): Promise<string[]> => {
        const command = `stty cols ${columns} rows 40; "${process.execPath}" "${OBSPAN}" ${args}`;
        const { code, stdout } = await runProgram("script", ["-qec", command, "/dev/null"], {
          env: {
            OBS_PUSH_URL: url,
            OBS_API_KEY: "secret",
            TERM: "xterm-256color",
            LC_ALL: "C.UTF-8",
            ...env,
          },
          timeoutMs: 60_000,
        });
        expect(code, args).toBe(expected);
        return stdout.trimEnd().split("\r\n");
      };
      for (const args of ["traces", `trace ${BAD}`, `trace ${BAD} --compare ${GOOD}`, "errors", "sessions"]) {
        const lines = await run(args);
        expect(lines.join("\n"), args).toContain("\u001b[2m");
        for (const line of lines) expect(plain(line).length, line).toBeLessThanOrEqual(columns);
      }
      const list = await run(`traces trace_id:${BAD}`, { NO_COLOR: "1" });
      expect(list.join("\n")).not.toContain("\u001b");
      const titles = list[0]?.split(/ +/) ?? [];
      expect(titles.slice(0, 4)).toEqual(["ID", "STARTED", "STATUS", "NAME"]);
      expect(titles.includes("MODEL") && titles.at(-1) === "INPUT").toBe(columns === 160);
      if (columns === 80) {
        expect((await run("export", {}, 2)).join()).toContain("--output");
        expect((await run("send", {}, 2)).join()).toContain("Name a file");
      }
      const json = await run(`traces trace_id:${BAD} --json`);
      expect(json.map((line) => JSON.parse(line) as unknown)).toEqual([
        expect.objectContaining({ trace_id: BAD }),
      ]);
    },
  );

  it("runs what the guide shows", async () => {
    const directory = temporaryDirectory();
    const bin = join(directory, "obspan");
    writeFileSync(bin, `#!/bin/sh\nexec "${process.execPath}" "${OBSPAN}" "$@"\n`, { mode: 0o755 });
    // Stands in for the program of that name, which not every machine has.
    const jq =
      "let s='';process.stdin.on('data',d=>s+=d).on('end',()=>{for(const l of s.trim().split('\\n'))console.log(JSON.parse(l).trace_id)})";
    writeFileSync(join(directory, "jq"), `#!/bin/sh\nexec "${process.execPath}" -e "${jq}"\n`, {
      mode: 0o755,
    });
    for (const [digit, status] of [
      ["7", "OK"],
      ["8", "OK"],
      ["9", "ERROR"],
    ] as const)
      await send(supportRun({ traceId: digit.repeat(32), startMs: Date.now() - 60_000, status }));
    for (const block of guideBlocks("command-line", "sh")) {
      const { code, stderr } = await runProgram("bash", ["--norc", "-euo", "pipefail", "-c", block], {
        cwd: directory,
        env: { OBS_PUSH_URL: url, OBS_API_KEY: "secret", PATH: `${directory}:${process.env["PATH"] ?? ""}` },
        timeoutMs: 120_000,
      });
      expect({ block, code, stderr }).toEqual({ block, code: 0, stderr: expect.any(String) });
    }
    const session = "sess_4821";
    expect(readdirSync(directory).toSorted()).toEqual([
      "jq",
      "obspan",
      "report.xml",
      "run.html",
      `session-${session}.html`,
      `session-${session}.md`,
      "traces.otlp.jsonl",
    ]);
  });

  it("names the tenant of a question, and of what is sent", async () => {
    const several = await collectorForTest({ MULTI_TENANT_ENABLED: "true" });
    const env = { OBS_PUSH_URL: several.url, OBS_API_KEY: "" };
    const input = JSON.stringify({ name: "call", trace_id: "shared-id", duration_ms: 1 });
    for (const tenant of ["acme", "globex"])
      expect((await obspan(["send", "--tenant", tenant], { env, input })).code).toBe(0);
    await ledgerAtRest(several.url);
    const of = async (...args: string[]): Promise<CommandResult> => await obspan(args, { env });
    expect(jsonLines(await of("traces", "--tenant", "acme", "--json"))).toEqual([
      expect.objectContaining({ tenant: "acme" }),
    ]);
    expect((await of("traces")).stdout).toMatch(/TENANT[^]*acme/);
    expect(await of("trace", "shared-id")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--tenant"),
    });
    expect((await of("trace", "shared-id", "--tenant", "globex")).stdout).toContain("tenant globex");
    expect((await of("share", "shared-id", "--tenant", "nobody", "-o", "-")).code).toBe(3);
  });
});
