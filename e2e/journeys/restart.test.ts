import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { collectorForTest, killProgram, OBSPAN, type BuiltCollector } from "../harness/built-collector.js";
import { startProgram, type ChildProgram } from "../harness/child-program.js";
import { ledgerAtRest } from "../harness/ledger.js";
import { until } from "../harness/until.js";

/** A directory for traces, removed after the test. */
function traceDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "obspan-restart-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, "traces");
}

type Json = Record<string, unknown>;

async function get(url: string, path: string): Promise<Json> {
  const response = await fetch(`${url}${path}`);
  expect(response.status, path).toBe(200);
  return (await response.json()) as Json;
}

async function post(url: string, path: string, body: unknown): Promise<Response> {
  return await fetch(`${url}${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** Three traces with a model call, a check and a score by a user. */
async function sendTraces(url: string, prefix: string): Promise<void> {
  for (const number of [1, 2, 3]) {
    const traceId = `${prefix}${number}`;
    const call = {
      trace_id: traceId,
      span_id: `${traceId}-call`,
      name: "chat",
      span_type: "llm",
      duration_ms: 100 * number,
      attributes: {
        model: `model-${number}`,
        agent: "support",
        prompt_text: "Hello",
        tokens_input: 5,
        cost_usd: 0.25,
      },
    };
    const check = {
      trace_id: traceId,
      parent_span_id: call.span_id,
      name: "evaluation tone",
      span_type: "evaluation",
      duration_ms: 1,
      attributes: { evaluation_type: "tone", evaluation_score: number / 4, model: `model-${number}` },
    };
    const body = { service: "shop", env: "test", spans: [call, check] };
    expect((await post(url, "/v1/telemetry", body)).status).toBe(202);
  }
  await ledgerAtRest(url);
  const score = {
    trace_id: `${prefix}2`,
    parent_span_id: `${prefix}2-call`,
    name: "evaluation user_feedback",
    span_type: "evaluation",
    duration_ms: 0,
    attributes: {
      evaluation_type: "user_feedback",
      evaluation_score: 1,
      evaluation_source: "user",
      evaluation_comment: "Helpful.",
    },
  };
  expect((await post(url, "/v1/telemetry", { service: "shop", env: "test", spans: [score] })).status).toBe(
    202,
  );
  await ledgerAtRest(url);
  await until("the score is listed", async () => {
    const { evaluations } = await get(url, "/v1/evaluations?type=user_feedback");
    return (evaluations as Json[]).some((each) => each["trace_id"] === `${prefix}2`) || undefined;
  });
}

/** What the pages show of the past, without what a restart may change. */
async function shown({ url }: BuiltCollector): Promise<Json> {
  const { total, groups } = await get(url, "/v1/stats?window=24h&group_by=model");
  const { window } = total as { window: Json };
  const one = await get(url, "/v1/traces/first2");
  return {
    traces: (await get(url, "/v1/traces"))["traces"],
    trace: one,
    evaluations: (await get(url, "/v1/evaluations?limit=100"))["evaluations"],
    summary: await summary(url),
    stats: {
      window,
      groups: (groups as { value: string; window: Json }[]).map(({ value, window: sums }) => ({
        value,
        sums,
      })),
    },
  };
}

/** The summary of evaluations without the time at which it was made. */
async function summary(url: string): Promise<Json> {
  const found = await get(url, "/v1/evaluations/summary?points=1");
  return { ...found, since: undefined, until: undefined };
}

it("shows the same traces, evaluations and statistics after a stop and a start", async () => {
  const settings = { TRACE_STORE_PATH: traceDirectory() };
  const first = await collectorForTest(settings);
  await sendTraces(first.url, "first");
  const before = await shown(first);
  expect(before["evaluations"]).toHaveLength(4);
  expect(before["evaluations"]).toContainEqual(
    expect.objectContaining({ source: "user", model: "model-2", agent: "support" }),
  );
  const since = (await get(first.url, "/v1/stats?window=24h"))["kept_since"];
  await first.stop();

  const second = await collectorForTest(settings);
  expect(await shown(second)).toEqual(before);
  const keptSince = (await get(second.url, "/v1/stats?window=24h"))["kept_since"];
  expect(Date.parse(String(keptSince))).toBeLessThanOrEqual(Date.parse(String(since)));

  // New evaluations follow those of the first process: one order, no doubles, across pages.
  await sendTraces(second.url, "second");
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const query = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await get(second.url, `/v1/evaluations?limit=3${query}`);
    ids.push(...(page["evaluations"] as Json[]).map((each) => String(each["trace_id"])));
    cursor = (page["next_cursor"] as string | null) ?? undefined;
  } while (cursor !== undefined);
  expect(ids).toEqual(["second2", "second3", "second2", "second1", "first2", "first3", "first2", "first1"]);
  await second.stop();
  const third = await collectorForTest(settings);
  expect((await get(third.url, "/v1/evaluations?limit=100"))["evaluations"]).toHaveLength(8);
});

it("shows the same traces and evaluations after kill -9 and a start", async () => {
  const settings = { TRACE_STORE_PATH: traceDirectory() };
  const killed = await collectorForTest(settings);
  await sendTraces(killed.url, "first");
  const before = await shown(killed);
  await until("everything is committed", async () => {
    const metrics = await (await fetch(`${killed.url}/metrics`)).text();
    return /^obs_trace_store_pending_bytes 0$/m.test(metrics) || undefined;
  });
  killed.signal("SIGKILL");
  await killed.exit;

  const next = await collectorForTest(settings);
  const after = await shown(next);
  expect({ ...after, stats: undefined }).toEqual({ ...before, stats: undefined });
});

it("keeps the directory and the file to the user", async () => {
  const directory = traceDirectory();
  await collectorForTest({ TRACE_STORE_PATH: directory });
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(directory)) {
    const stat = statSync(join(directory, name));
    if (stat.isFile()) expect(stat.mode & 0o077, name).toBe(0);
  }
});

/** `obspan serve --local`, with a data directory of its own. */
function serveLocal(dataHome: string): ChildProgram {
  const env = { OBS_SERVER_PORT: "0", XDG_DATA_HOME: dataHome, LOCALAPPDATA: dataHome };
  const program = startProgram(process.execPath, [OBSPAN, "serve", "--local"], env);
  onTestFinished(() => killProgram(program));
  return program;
}

it("--local keeps traces in the user's data directory and says so; a second one keeps them in memory", async () => {
  const dataHome = traceDirectory();
  const first = serveLocal(dataHome);
  const directory = join(dataHome, "obspan/traces");
  await until(
    "the first says where",
    () => first.stdout().includes(`Kept      in ${directory}\n`) || undefined,
  );
  expect(first.stdout()).toContain("up to 10 GiB, for 14 days; OBS_SERVER_TRACE_STORE_PATH=none");
  expect(readdirSync(directory)).toContain("traces.db");

  const second = serveLocal(dataHome);
  await until("the second says why not", () => second.stdout().includes("Kept      in memory") || undefined);
  expect(second.stderr.join("\n")).toContain("Traces are kept in memory only.");
  expect(second.stderr.join("\n")).toContain(`is in use by process ${first.pid}`);
});
