import { expect, it, vi } from "vitest";
import type { Evaluation } from "../../src/api-schema/evaluations.js";
import { createEvaluator } from "../../src/evaluation/evaluator.js";
import { createByteBudget } from "../../src/in-flight/byte-budget.js";
import { systemClock } from "../../src/runtime/clock.js";
import { SQL_CODES, SqlError } from "../../src/store/sqlite/driver/sqlite-driver.js";
import { createStorageEngine } from "../../src/store/sqlite/engine/create-storage-engine.js";
import { plainAttributes, startOtlpReceiver } from "../export/otlp-receiver.js";
import { listen } from "../query/live-reader.js";
import { ask, connectMcp } from "../query/mcp/mcp-client.js";
import { aSpan, pipelineSpans } from "../store/span-batches.js";
import { openFaulty, type Faults } from "../store/sqlite/faulty-database.js";
import { inlineThread } from "../store/sqlite/inline-thread.js";
import { temporaryDirectory } from "../store/sqlite/temporary-directory.js";
import { judgedSpan, startJudgedCollector } from "./judged-collector.js";
import { VERDICT } from "./judge-server.js";

it("contract 8: exports an evaluation with the event gen_ai.evaluation.result", async () => {
  const receiver = await startOtlpReceiver();
  const { post, evaluated } = await startJudgedCollector({
    EXPORTER_OTLP_ENDPOINT: receiver.url,
    EXPORTER_FLUSH_INTERVAL: "1",
  });
  await post({ service: "shop", spans: [judgedSpan()] });
  await evaluated();
  const exported = await vi.waitFor(
    () => {
      const found = receiver.spans().find(({ name }) => name === "evaluation.relevance");
      expect(found).toBeDefined();
      return found;
    },
    { timeout: 8000 },
  );
  expect(plainAttributes(exported?.attributes ?? [])).toMatchObject({
    "obspan.span_type": "evaluation",
    evaluation_score: 0.9,
    judge_model: "gpt-6-luna",
  });
  expect(exported?.events.map(({ name }) => name)).toEqual(["gen_ai.evaluation.result"]);
  expect(plainAttributes(exported?.events[0]?.attributes ?? [])).toEqual({
    "obspan.derived": true,
    "gen_ai.evaluation.name": "relevance",
    "gen_ai.evaluation.score.value": 0.9,
    "gen_ai.evaluation.score.label": "relevant",
    "gen_ai.evaluation.explanation": VERDICT.explanation,
  });
});

it("contract 3: sends each evaluation to GET /v1/live, in addition to its trace", async () => {
  const { url, post } = await startJudgedCollector();
  const { next } = await listen(url);
  await next("status");
  await post({ spans: [judgedSpan()] });
  const { data } = await next<Evaluation>("evaluation");
  expect(data).toMatchObject({ trace_id: "t1", evaluated_span_id: "s1", type: "relevance", score: 0.9 });
  await next<{ scores: unknown[] }>("trace", ({ scores }) => scores.length === 1);
});

it("spec 4.9 rule 6: exports evaluations that finish while the collector stops", async () => {
  const receiver = await startOtlpReceiver();
  const { post, settled, collector } = await startJudgedCollector({
    EXPORTER_OTLP_ENDPOINT: receiver.url,
    SHUTDOWN_GRACE_PERIOD_SECONDS: "10",
  });
  await post({ spans: [judgedSpan(["relevance", "toxicity"])] });
  await settled();
  const { exported, evaluated } = await collector.stop();
  expect(evaluated).toMatchObject({ offered: 2, completed: 2 });
  expect(exported).toMatchObject({ exported: 3, pending: 0 });
});

it("contract 8: stores at most 100 evaluations of a trace, in addition to its spans", async () => {
  const { post, evaluated, evaluationsOf, get } = await startJudgedCollector({
    TRACE_STORE_MAX_SPANS_PER_TRACE: "20",
  });
  const types = Array.from({ length: 10 }, (_, i) => `contains:${i}`);
  await post({
    spans: Array.from({ length: 12 }, (_, i) => judgedSpan(types, { span_id: `s${i}` })),
  });
  await evaluated();
  expect(await evaluationsOf()).toHaveLength(100);
  const { trace } = await get<{ trace: { span_count: number } }>("/v1/traces/t1");
  expect(trace.span_count).toBe(12);
});

it("spec 4.9 rule 5: a score that the full disk cannot keep is a failed evaluation, shown nowhere", async () => {
  const faults: Faults = { db: undefined };
  const running = await startJudgedCollector(
    { TRACE_STORE_PATH: temporaryDirectory(), TRACE_STORE_DISK_MIN_FREE_BYTES: "0", MCP_ALLOW_WRITE: "true" },
    undefined,
    {
      startStorageThread: (thread) =>
        inlineThread((host) => createStorageEngine(thread, host, { openDatabase: openFaulty(faults) })),
    },
  );
  const { post, get, settled, evaluated, metric, collector, lines } = running;
  await post({ spans: [judgedSpan([])] });
  await settled();
  const state = async (): Promise<string> => (await get<{ state: string }>("/v1/store")).state;
  expect(await state()).toBe("ok");
  faults.onStatement = (sql) => {
    if (/^(?:INSERT|UPDATE|DELETE|COMMIT)/.test(sql))
      throw new SqlError(SQL_CODES.FULL, "database or disk is full");
  };
  await post({ spans: [judgedSpan([], { span_id: "lost" })] });
  await expect.poll(state, { timeout: 30_000, interval: 20 }).toBe("degraded");

  await post({ service: "shop", spans: [judgedSpan(["relevance", "valid_json"], { span_id: "s2" })] });
  await evaluated();
  expect(collector.ledger().evaluated).toMatchObject({ offered: 2, completed: 0, error: 2, pending: 0 });
  expect(await get("/v1/evaluations")).toMatchObject({ evaluations: [] });
  const labels = 'service="shop",env="development",evaluation_type="relevance",outcome';
  expect(await metric(`obs_evaluations_total{${labels}="error"}`)).toBe(1);
  expect(await metric(`obs_evaluations_total{${labels}="completed"}`)).toBe(0);
  expect(await (await fetch(`${running.url}/metrics`)).text()).not.toContain("obs_evaluation_score_count{");
  expect(lines.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^Evaluation failed \(1 so far\)\. Its score was not kept: .*The disk is full\./),
  );

  const annotated = await ask(await connectMcp(running), "annotate", { trace_id: "t1", score: 1 });
  expect(annotated.isError).toBe(true);
  expect(annotated.text).toContain("The disk is full.");
});

it("contract 8: frees the claim of an evaluation whose score is not kept, for another collector", async () => {
  const ended: boolean[] = [];
  const outcomes: string[] = [];
  let fails = true;
  const verdict = { score: 1, label: undefined, explanation: undefined };
  const evaluator = createEvaluator({
    types: {
      find: (id) => ({ id, name: id, kind: "computed", direction: "maximize", compute: async () => verdict }),
    },
    judge: { provider: "none", model: "none", score: () => expect.unreachable() },
    queueSize: 10,
    budget: createByteBudget({ limitBytes: 2 ** 20, clock: systemClock }).account("evaluation_queue"),
    claims: {
      claim: async () => true,
      end: async (_name, isDone) => void ended.push(isDone),
    },
    dropPolicy: "drop_new",
    concurrency: 1,
    defaultSampleRate: 1,
    timeoutMs: 1000,
    clock: systemClock,
    random: () => 0,
    counters: {
      offered: () => undefined,
      repeated: () => undefined,
      ended: (outcome) => void outcomes.push(outcome),
    },
    deliver: async () => {
      if (fails) throw new Error("no room");
    },
    log: { warning: () => undefined },
  });
  for (fails of [true, false]) {
    evaluator.offer(pipelineSpans([aSpan(judgedSpan(["valid_json"]))]));
    await vi.waitFor(() => expect(evaluator.pending).toBe(0), { timeout: 10_000 });
  }
  await vi.waitFor(() => expect(ended).toEqual([false, true]), { timeout: 10_000 });
  expect(outcomes).toEqual(["error", "completed"]);
});
