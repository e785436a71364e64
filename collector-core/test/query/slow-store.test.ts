import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import type { EvaluationList } from "../../src/api-schema/evaluations.js";
import { createStorageEngine } from "../../src/store/sqlite/engine/create-storage-engine.js";
import type { StorageCommands } from "../../src/store/sqlite/thread/storage-engine.js";
import { errorOf, sharedCollector, span, type RunningCollector } from "../running-collector.js";
import { inlineThread } from "../store/sqlite/inline-thread.js";

/** A collector with a file, in which some commands do not end. */
interface SlowStore extends RunningCollector {
  /** Commands that do not end from now on. */
  readonly stuck: Set<keyof StorageCommands>;
  /** Lets the commands that wait go on, and those after them. */
  readonly release: () => void;
  /** All questions. */
  readonly questions: string[];
  /** Questions that such commands got, and those of them that were aborted. */
  readonly asked: string[];
  readonly aborted: string[];
}

/** A collector for the surrounding `describe`. Each call forgets what was asked before. */
function collectorWithSlowStore(
  stuckFromStart: readonly (keyof StorageCommands)[] = [],
  settings: Readonly<Record<string, string>> = {},
): () => Promise<SlowStore> {
  const directory = mkdtempSync(join(tmpdir(), "obspan-slow-store-"));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const stuck = new Set(stuckFromStart);
  const questions: string[] = [];
  const asked: string[] = [];
  const aborted: string[] = [];
  let held: (() => void)[] = [];
  const release = (): void => {
    stuck.clear();
    for (const go of held) go();
    held = [];
  };
  const until = (name: string, signal: unknown, command: () => Promise<unknown>): Promise<unknown> => {
    asked.push(name);
    return new Promise((resolve, reject) => {
      held.push(() => resolve(command()));
      if (!(signal instanceof AbortSignal)) return;
      signal.addEventListener("abort", () => {
        aborted.push(name);
        reject(signal.reason as Error);
      });
    });
  };
  const collector = sharedCollector(
    { TRACE_STORE_PATH: directory, TRACE_STORE_DISK_MIN_FREE_BYTES: "0", ...settings },
    {
      startStorageThread: (options) =>
        inlineThread((host) => {
          const engine = createStorageEngine(options, host);
          const names = Object.keys(engine.commands) as (keyof StorageCommands)[];
          for (const name of names) {
            const command = engine.commands[name] as (...args: unknown[]) => Promise<unknown>;
            const slow = (...args: unknown[]): Promise<unknown> => {
              questions.push(name);
              return stuck.has(name) ? until(name, args.at(-1), () => command(...args)) : command(...args);
            };
            Object.assign(engine.commands, { [name]: slow });
          }
          return engine;
        }),
    },
  );
  return async () => {
    for (const list of [questions, asked, aborted]) list.length = 0;
    return { ...(await collector()), stuck, release, questions, asked, aborted };
  };
}

/** Every question that reads spans. */
const READS = [
  "summaries",
  "labelsOf",
  "outputPreviews",
  "openTrace",
  "readPage",
  "getSpan",
  "tenantsOf",
  "list",
  "facets",
  "histogram",
  "openSelect",
  "selectPage",
  "evaluations",
] as const;

/** As many deletions of traces may be under way. */
const MAX_DELETIONS = 1000;

describe("a store that does not answer", () => {
  const slowStore = collectorWithSlowStore();
  const stuckStore = collectorWithSlowStore(READS);
  const floodedStore = collectorWithSlowStore();
  const slowStoreOfJudge = collectorWithSlowStore([], {
    EVALUATION_ENABLED: "true",
    EVALUATION_JUDGE_PROVIDER: "ollama",
    MCP_ALLOW_WRITE: "true",
  });
  afterEach(() => void vi.useRealTimers());

  const ROUTES: readonly (readonly [path: string, command: keyof StorageCommands])[] = [
    ["/v1/traces", "list"],
    ["/v1/facets", "facets"],
    ["/v1/histogram?buckets=10", "histogram"],
    ["/v1/traces/t1", "tenantsOf"],
    ["/v1/traces/t1", "openTrace"],
    ["/v1/traces/t1", "readPage"],
    ["/v1/traces/t1/spans/s1", "getSpan"],
    ["/v1/traces/t1/export", "openTrace"],
    ["/v1/traces/t1/export?format=html", "readPage"],
    ["/v1/sessions/s/export?format=markdown", "readPage"],
    ["/v1/export", "openSelect"],
    ["/v1/export", "selectPage"],
    ["/v1/store", "info"],
    ["/v1/store/backup", "openBackup"],
  ];

  it.each(ROUTES)("has GET %s answered 503 after 15 seconds, and %s aborted", async (path, command) => {
    const { url, post, settled, stuck, asked, aborted } = await slowStore();
    await post({ service: "app", spans: [span({ span_id: "s1", attributes: { session_id: "s" } })] });
    await settled();
    expect((await fetch(url + path)).status).toBe(200);

    stuck.add(command);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let isAnswered = false;
    const answer = fetch(url + path).finally(() => (isAnswered = true));
    await vi.waitUntil(() => asked.length > 0, { interval: 0, timeout: 30_000 });
    await vi.advanceTimersByTimeAsync(14_900);
    expect(isAnswered).toBe(false);
    await vi.advanceTimersByTimeAsync(100);
    const response = await answer;
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await errorOf(response)).toMatchObject({ status: 503, code: "trace_store_unavailable" });
    await vi.waitUntil(() => aborted.length > 0, { interval: 0, timeout: 30_000 });
    expect(aborted).toEqual([command]);

    vi.useRealTimers();
    stuck.clear();
    expect((await fetch(url + path)).status).toBe(200);
  });

  it.each(["tenantsOf", "remove"] as const)(
    "lets the deletion of a trace take as long as %s needs",
    async (command) => {
      const { url, post, settled, stuck, asked } = await slowStore();
      await post({ service: "app", spans: [span({ span_id: "s1" })] });
      await settled();
      stuck.add(command);
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      const leaves = new AbortController();
      let isAnswered = false;
      const answer = fetch(`${url}/v1/traces/t1`, { method: "DELETE", signal: leaves.signal })
        .catch(() => undefined)
        .finally(() => (isAnswered = true));
      await vi.waitUntil(() => asked.length > 0, { interval: 0, timeout: 30_000 });
      await vi.advanceTimersByTimeAsync(60_000);
      expect(isAnswered).toBe(false);
      leaves.abort();
      await answer;
      stuck.delete(command);
    },
  );

  it("refuses a deletion with 503 while a thousand are under way, although their clients have left", async () => {
    const { url, stuck, asked } = await floodedStore();
    stuck.add("remove");
    const deletion = (n: number, signal?: AbortSignal): Promise<Response> =>
      fetch(`${url}/v1/traces/t${n}?tenant=`, { method: "DELETE", signal: signal ?? null });
    for (let n = 0; n < MAX_DELETIONS; n += 50) {
      const leaves = new AbortController();
      const answers = Array.from({ length: 50 }, (_, index) => deletion(n + index, leaves.signal));
      await vi.waitUntil(() => asked.length === n + 50, { interval: 1, timeout: 30_000 });
      leaves.abort();
      await Promise.allSettled(answers);
    }
    const refused = await deletion(MAX_DELETIONS);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await errorOf(refused)).toMatchObject({ status: 503, code: "overloaded" });
    expect(asked).toHaveLength(MAX_DELETIONS);
    expect((await fetch(`${url}/v1/traces`)).status).toBe(200);
  });

  const RUN_SPANS = ["s1", "s2"].map((id) => ({ trace_id: "t1", span_id: id }));
  const RUNS: readonly (readonly [what: string, path: string, body: unknown, answer: RegExp])[] = [
    [
      "POST /v1/evaluations",
      "/v1/evaluations",
      { types: ["valid_json"], spans: RUN_SPANS },
      /"enqueued":2,"dropped":0,"spans":2/,
    ],
    [
      "the tool evaluate",
      "/mcp",
      {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "evaluate", arguments: { trace_id: "t1", types: ["valid_json"], steps: [1, 2] } },
      },
      /2 evaluations of 2 spans will run/,
    ],
  ];

  it.each(RUNS)(
    "lets %s take as long as it needs once some may have begun",
    async (_, path, body, expected) => {
      const { url, post, settled, stuck, release, asked } = await slowStoreOfJudge();
      const messages = Array.from({ length: 20_000 }, () => ({
        role: "user",
        parts: [{ type: "text", content: "?" }],
      }));
      const large = { completion_text: "{}", prompt_messages: messages };
      await post({
        service: "app",
        spans: [{ completion_text: "{}" }, large].map((attributes, index) =>
          span({ trace_id: "t1", span_id: `s${index + 1}`, span_type: "llm", attributes }),
        ),
      });
      await settled();
      stuck.add("getSpan");
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      const answer = fetch(`${url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
        body: JSON.stringify(body),
      });
      await vi.waitUntil(() => asked.length > 0, { interval: 0, timeout: 30_000 });
      await vi.advanceTimersByTimeAsync(60_000);
      vi.useRealTimers();
      release();
      const response = await answer;
      expect(response.status).toBeLessThan(300);
      expect(await response.text()).toMatch(expected);
    },
  );

  const TYPES = ["span", "llm", "tool", "agent", "task", "embedding", "retrieval", "evaluation", "own"];

  it.each(TYPES)("delays no spans of type %s", async (type) => {
    const { post, settled, collector, questions } = await stuckStore();
    const before = collector.ledger();
    const attributes = { evaluation_type: "tone", evaluation_score: 1, evaluated_span_id: "s1" };
    for (let batch = 0; batch < 3; batch++) {
      const spans = Array.from({ length: 300 }, () => span({ span_type: type, attributes }));
      expect((await post({ service: "app", spans })).status).toBe(202);
    }
    await settled();
    const { accepted, processed } = collector.ledger();
    expect([accepted - before.accepted, processed - before.processed]).toEqual([900, 900]);
    // However many spans look something up, one question is under way. It may wait for spans that are appended.
    if (type === "evaluation")
      await vi.waitUntil(() => questions.includes("labelsOf"), { interval: 0, timeout: 30_000 });
    expect(questions.filter((name) => name === "labelsOf")).toHaveLength(type === "evaluation" ? 1 : 0);
  });
});

const countingStore = collectorWithSlowStore();

it("answers a page of 1000 evaluations with as many questions as a page of one", async () => {
  const { post, settled, get, questions } = await countingStore();
  const spans = Array.from({ length: 1000 }, (_, index) => [
    span({
      trace_id: `t${index}`,
      span_id: "s1",
      span_type: "llm",
      attributes: { completion_text: `${index}` },
    }),
    span({
      trace_id: `t${index}`,
      span_type: "evaluation",
      attributes: { evaluation_type: "tone", evaluation_score: 1, evaluated_span_id: "s1" },
    }),
  ]);
  await post({ service: "app", spans: spans.flat() });
  await settled();
  const page = async (limit: number) => {
    await get<EvaluationList>("/v1/evaluations?limit=1");
    const before = questions.length;
    const { evaluations } = await get<EvaluationList>(`/v1/evaluations?limit=${limit}`);
    // A timer writes the steps of the statistics.
    const asked = questions.slice(before).filter((name) => name !== "putStatsSteps");
    return { texts: evaluations.map((each) => each.evaluated_text), asked };
  };
  const one = await page(1);
  expect(one.texts).toEqual(["999"]);
  const all = await page(1000);
  expect(all.texts).toEqual(Array.from({ length: 1000 }, (_, index) => `${999 - index}`));
  expect(all.asked).toEqual(one.asked);
});
