import { describe, expect, it } from "vitest";
import type {
  EvaluationList,
  EvaluationRunAnswer,
  EvaluationSummary,
} from "../../src/api-schema/evaluations.js";
import { countTurns, everLater } from "../runtime/loop-turns.js";
import {
  errorOf,
  sharedCollector,
  span,
  startCollector,
  type RunningCollector,
} from "../running-collector.js";
import { HANGS, VERDICT } from "../evaluation/judge-server.js";
import { judgedSpan, startJudgedCollector } from "../evaluation/judged-collector.js";

const list = ({ get }: RunningCollector, query = "") => get<EvaluationList>(`/v1/evaluations${query}`);
const summary = ({ get }: RunningCollector, query = "") =>
  get<EvaluationSummary>(`/v1/evaluations/summary${query}`);
const run = ({ url }: RunningCollector, body: unknown) =>
  fetch(`${url}/v1/evaluations`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

/** An evaluation as an app sends one: of any type and score. */
function scored(type: string, score: number | undefined, fields: Record<string, unknown> = {}) {
  const { attributes, ...rest } = fields;
  return span({
    name: `evaluation.${type}`,
    span_type: "evaluation",
    parent_span_id: "s1",
    ...rest,
    attributes: {
      evaluation_type: type,
      ...(score === undefined ? {} : { evaluation_score: score }),
      ...(attributes as object | undefined),
    },
  });
}

describe("contract 3: GET /v1/evaluations", () => {
  const shared = sharedCollector();

  it("lists each evaluated text with the explanation of the judge", async () => {
    const collector = await startJudgedCollector();
    await collector.post({ service: "shop", version: "1.2", spans: [judgedSpan()] });
    await collector.evaluated();
    const { evaluations, next_cursor } = await list(collector);
    expect(next_cursor).toBeNull();
    expect(evaluations).toEqual([
      {
        trace_id: "t1",
        tenant: "",
        span_id: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
        evaluated_span_id: "s1",
        type: "relevance",
        score: 0.9,
        label: "relevant",
        explanation: VERDICT.explanation,
        direction: "maximize",
        past_threshold: false,
        outcome: "completed",
        source: "judge",
        service: "shop",
        env: "development",
        model: "gpt-5-mini",
        agent: "support",
        time: expect.stringMatching(/^20\d\d-.*Z$/) as string,
        duration_ms: expect.any(Number) as number,
        judge_model: "gpt-6-luna",
        cost_usd: 0.0000223,
        trace_name: "chat",
        evaluated_text: "Tomorrow.",
      },
    ]);
  });

  it("yields to the event loop while it reads a long page", async () => {
    const collector = await startCollector({}, { clock: everLater() });
    const spans = Array.from({ length: 400 }, (_, index) => {
      const trace = { trace_id: `t${index}` };
      return [span({ ...trace, span_id: "s1" }), scored("relevance", 1, trace)];
    });
    await collector.post({ spans: spans.flat() });
    await collector.settled();
    await list(collector);
    const turns = countTurns();
    expect((await list(collector, "?limit=1000")).evaluations).toHaveLength(400);
    expect(turns.end()).toBeGreaterThanOrEqual(400);
  });

  it("filters by type, trace, span, score, outcome, source, model and agent", async () => {
    const collector = await startCollector();
    await collector.post({
      spans: [
        judgedSpan(),
        scored("relevance", 0.2),
        scored("toxicity", 0.9, { parent_span_id: "s2" }),
        scored("contains:a", 1, { trace_id: "t2", attributes: { evaluation_source: "user" } }),
        scored("contains:b", undefined, {
          trace_id: "t2",
          attributes: { evaluation_outcome: "timeout", judge_model: "m" },
        }),
      ],
    });
    await collector.settled();
    const types = async (query: string) =>
      (await list(collector, query)).evaluations.map(({ type }) => type).sort();
    expect(await types("?type=relevance")).toEqual(["relevance"]);
    expect(await types("?type=contains")).toEqual(["contains:a", "contains:b"]);
    expect(await types("?type=contains:a,toxicity")).toEqual(["contains:a", "toxicity"]);
    expect(await types("?trace_id=t2")).toEqual(["contains:a", "contains:b"]);
    expect(await types("?span_id=s2")).toEqual(["toxicity"]);
    expect(await types("?min_score=0.5&max_score=0.95")).toEqual(["toxicity"]);
    expect(await types("?past_threshold=true")).toEqual(["relevance", "toxicity"]);
    expect(await types("?past_threshold=false")).toEqual(["contains:a", "contains:b"]);
    expect(await types("?outcome=timeout")).toEqual(["contains:b"]);
    expect(await types("?source=user")).toEqual(["contains:a"]);
    expect(await types("?model=gpt-5-mini&agent=support&span_id=s1")).toEqual(["relevance"]);
    expect(await types("?since=2999-01-01T00:00:00Z")).toEqual([]);
  });

  it("contract 5: uses the configured thresholds", async () => {
    const collector = await startCollector({ EVALUATION_THRESHOLDS: "relevance=0.1,toxicity=0.95" });
    await collector.post({ spans: [scored("relevance", 0.2), scored("toxicity", 0.9)] });
    await collector.settled();
    expect((await list(collector, "?past_threshold=true")).evaluations).toEqual([]);
  });

  it("orders pages worst first in either direction of a type", async () => {
    const collector = await startCollector();
    const scores: readonly (readonly [string, number])[] = [
      ["relevance", 0.22],
      ["hallucination", 0.91],
      ["relevance", 0.31],
      ["hallucination", 0.62],
      ["refusal", 1],
      ["relevance", 1],
    ];
    await collector.post({
      spans: [...scores.map(([type, score]) => scored(type, score)), scored("relevance", undefined)],
    });
    await collector.settled();
    const seen: (readonly [string, number | null])[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: EvaluationList = await list(
        collector,
        `?order=worst&limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`,
      );
      expect(page.evaluations.length).toBeLessThanOrEqual(2);
      seen.push(...page.evaluations.map(({ type, score }) => [type, score] as const));
      cursor = page.next_cursor;
    }
    expect(seen.slice(0, 4)).toEqual([
      ["hallucination", 0.91],
      ["relevance", 0.22],
      ["relevance", 0.31],
      ["hallucination", 0.62],
    ]);
    expect(seen).toHaveLength(6);
  });

  it.each(["?limit=0", "?order=best", "?since=yesterday", "?cursor=x", "?colour=red"])(
    "%s is refused",
    async (query) => {
      const { url } = await shared();
      expect((await fetch(`${url}/v1/evaluations${query}`)).status).toBe(400);
    },
  );

  it("gives a user's score the model and agent of the evaluated span", async () => {
    const collector = await startCollector();
    await collector.post({ spans: [judgedSpan()] });
    await collector.settled();
    const about = { attributes: { evaluated_span_id: "s1", evaluation_comment: "thanks" } };
    await collector.post({
      spans: [
        scored("user_feedback", 1, about),
        scored("user_feedback", 0, { parent_span_id: null, attributes: {} }),
      ],
    });
    await collector.settled();
    const { evaluations } = await list(collector);
    expect(evaluations).toMatchObject([
      { evaluated_span_id: null, model: "gpt-5-mini", agent: "support" },
      { evaluated_span_id: "s1", model: "gpt-5-mini", explanation: "thanks", evaluated_text: "Tomorrow." },
    ]);
  });

  it("removes evaluations of deleted traces, including pending ones", async () => {
    const collector = await startJudgedCollector(
      { EVALUATION_WORKER_CONCURRENCY: "1", SHUTDOWN_GRACE_PERIOD_SECONDS: "0" },
      () => HANGS,
    );
    await collector.post({
      spans: [
        judgedSpan(["valid_json", "relevance", "toxicity"]),
        judgedSpan(["relevance"], { trace_id: "t2" }),
      ],
    });
    await expect.poll(() => collector.judge.calls).toHaveLength(1);
    expect((await list(collector)).evaluations).toHaveLength(1);
    await fetch(`${collector.url}/v1/traces/t1`, { method: "DELETE" });
    expect((await list(collector)).evaluations).toHaveLength(0);
    await expect
      .poll(() => collector.collector.ledger().evaluated)
      .toMatchObject({ completed: 1, dropped: 2, pending: 1 });
    await expect.poll(() => collector.judge.calls).toHaveLength(2);
  });
});

describe("contract 3: POST /v1/evaluations", () => {
  it("evaluates model calls of stored traces and stored spans, regardless of sampling", async () => {
    const collector = await startJudgedCollector({ EVALUATION_DEFAULT_SAMPLE_RATE: "0" });
    await collector.post({
      spans: [
        judgedSpan([], { span_id: "wrapper" }),
        judgedSpan([], { span_id: "call", parent_span_id: "wrapper" }),
        span({ span_id: "tool", span_type: "tool", attributes: { output_text: "42" } }),
        judgedSpan([], { span_id: "failed", status: "ERROR" }, { completion_text: undefined }),
      ],
    });
    await collector.settled();
    const response = await run(collector, {
      types: ["relevance", "valid_json"],
      trace_ids: ["t1", "gone"],
      spans: [{ trace_id: "t1", span_id: "tool" }],
    });
    expect(response.status).toBe(202);
    expect((await response.json()) as EvaluationRunAnswer).toEqual({
      status: "accepted",
      enqueued: 4,
      dropped: 0,
      spans: 2,
      missing: 1,
    });
    await collector.evaluated();
    const parents = (await collector.evaluationsOf()).map(({ parent_span_id }) => parent_span_id);
    expect(parents.sort()).toEqual(["call", "call", "tool", "tool"]);
  });

  it("evaluates a span once that is named several times", async () => {
    const collector = await startJudgedCollector();
    await collector.post({ spans: [judgedSpan([], { span_id: "call" })] });
    await collector.settled();
    const named = { trace_id: "t1", span_id: "call" };
    const response = await run(collector, { types: ["relevance"], spans: [named, named, named] });
    expect((await response.json()) as EvaluationRunAnswer).toMatchObject({
      enqueued: 1,
      spans: 1,
      missing: 0,
    });
  });

  it("responds 503 evaluation_unavailable when evaluation is off", async () => {
    const collector = await startCollector();
    expect(await errorOf(await run(collector, { types: ["relevance"], trace_ids: ["t1"] }))).toMatchObject({
      status: 503,
      code: "evaluation_unavailable",
    });
  });

  it("responds 404 when none of the requested traces and spans is stored", async () => {
    const collector = await startJudgedCollector();
    expect(await errorOf(await run(collector, { types: ["relevance"], trace_ids: ["t1"] }))).toMatchObject({
      status: 404,
      code: "trace_not_found",
    });
  });

  it.each([
    ["no JSON", "{", "invalid_json"],
    ["no types", { trace_ids: ["t1"] }, "invalid_payload"],
    ["21 types", { types: Array(21).fill("refusal"), trace_ids: ["t1"] }, "invalid_payload"],
    ["nothing to evaluate", { types: ["relevance"] }, "invalid_payload"],
    ["a span without its trace", { types: ["relevance"], spans: [{ span_id: "s1" }] }, "invalid_payload"],
    ["an unknown type", { types: ["relevanse"], trace_ids: ["t1"] }, "invalid_payload"],
  ])("%s is refused", async (_name, body, code) => {
    const collector = await startJudgedCollector();
    expect(await errorOf(await run(collector, body))).toMatchObject({ status: 400, code });
  });

  it("drops and reports evaluations beyond the capacity of the queue", async () => {
    const collector = await startJudgedCollector(
      { EVALUATION_QUEUE_SIZE: "1", EVALUATION_WORKER_CONCURRENCY: "1", SHUTDOWN_GRACE_PERIOD_SECONDS: "0" },
      () => HANGS,
    );
    await collector.post({ spans: [judgedSpan([])] });
    await collector.settled();
    const answer = await run(collector, {
      types: ["relevance", "toxicity", "refusal", "conciseness"],
      trace_ids: ["t1"],
    });
    const { enqueued, dropped } = (await answer.json()) as EvaluationRunAnswer;
    expect(enqueued + dropped).toBe(4);
    expect(dropped).toBeGreaterThan(0);
  });
});

describe("GET /v1/evaluations/summary", () => {
  const shared = sharedCollector();

  it("leaves out a cost of the judge that would hide all others", async () => {
    const collector = await startCollector();
    const costing = (judge_cost_usd: number) =>
      scored("x", 1, { attributes: { judge_model: "m", judge_cost_usd } });
    await collector.post({ spans: [costing(1.7e308), costing(1.1e9), costing(0.25)] });
    await collector.settled();
    expect((await summary(collector)).judge.cost_usd).toBe(0.25);
  });

  it("summarizes means, distributions, groups, outcomes, and latency and cost of the judge", async () => {
    const collector = await startJudgedCollector({}, (_call, index) =>
      index === 0 ? { score: 0.95 } : index === 1 ? { score: 0.25 } : "nothing",
    );
    for (const [index, version] of ["1.0", "1.1", "1.1"].entries()) {
      await collector.post({
        service: "shop",
        version,
        spans: [judgedSpan(["relevance"], { span_id: `s${index}` })],
      });
      await collector.evaluated();
    }
    const found = await summary(collector, "?points=10");
    expect(found.types).toMatchObject([
      { type: "relevance", direction: "maximize", threshold: 0.7, count: 2, past_threshold: 1 },
    ]);
    const [relevance] = found.types;
    expect(relevance?.mean).toBeCloseTo(0.6);
    expect(relevance?.series).toHaveLength(10);
    expect(relevance?.series.filter((point) => point !== null)).toHaveLength(1);
    expect(relevance?.distribution).toEqual([0, 0, 1, 0, 0, 0, 0, 0, 0, 1]);
    expect(found.by_agent).toMatchObject([{ value: "support", count: 2 }]);
    expect(found.by_model[0]?.means["relevance"]).toBeCloseTo(0.6);
    expect(found.outcomes).toEqual({ completed: 2, timeout: 0, error: 0, malformed: 1 });
    expect(found.judge.calls).toBe(3);
    expect(found.judge.p95_ms).toBeGreaterThan(0);
    expect(found.judge.cost_usd).toBeCloseTo(4 * 0.0000223);
    expect(found.deployments).toMatchObject([{ service: "shop", version: "1.1" }]);
    expect(found.evaluation).toMatchObject({ offered: 3, pending: 0, judge_model: "gpt-6-luna" });
    expect(found.evaluation?.types.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["relevance", "criteria", "valid_json"]),
    );
  });

  it("lists 50 types, merges the rest, and yields to the event loop", async () => {
    const collector = await startCollector({}, { clock: everLater() });
    const types = Array.from({ length: 2000 }, (_, index) => `type-${index}`);
    await collector.post({
      service: "shop",
      spans: [...types, "type-1999", "type-1998", "type-1999"].map((type, index) =>
        scored(type, 0.5, { span_id: `e${index}`, attributes: { agent: "support", model: `m${index}` } }),
      ),
    });
    await collector.settled();
    const turns = countTurns();
    const found = await summary(collector, "?points=300");
    expect(turns.end()).toBeGreaterThan(50);
    expect(found.types.map(({ type }) => type)).toHaveLength(51);
    expect(found.types.slice(0, 2)).toMatchObject([
      { type: "type-1999", count: 3 },
      { type: "type-1998", count: 2 },
    ]);
    expect(found.types.at(-1)).toMatchObject({
      type: "__other__",
      direction: "neutral",
      threshold: null,
      count: 1950,
      mean: 0.5,
    });
    expect(Object.keys(found.by_agent[0]?.means ?? {})).toHaveLength(51);
    expect(found.by_model).toHaveLength(50);
  });

  it.each(["+275760-09-13T00:00:00.000Z", "-271821-04-20T00:00:00.000Z", "yesterday", "1e400", ""])(
    "refuses %j as a time, as the list of evaluations does",
    async (time) => {
      const collector = await shared();
      for (const path of ["/v1/evaluations/summary", "/v1/evaluations"]) {
        for (const name of ["since", "until"]) {
          const answer = await fetch(`${collector.url}${path}?${name}=${encodeURIComponent(time)}`);
          expect(answer.status, `${path} ${name}`).toBe(400);
          expect((await errorOf(answer)).code).toBe("invalid_query");
        }
      }
    },
  );

  it("accepts the earliest and the latest time that RFC 3339 can express", async () => {
    const collector = await startCollector();
    expect(await summary(collector, "?until=9999-12-31T23:59:59.999Z")).toMatchObject({
      until: "9999-12-31T23:59:59.999Z",
    });
    expect(await summary(collector, "?until=0")).toMatchObject({ since: "1969-12-31T00:00:00.000Z" });
  });

  it("is empty with evaluation null when evaluation is off", async () => {
    const collector = await startCollector();
    expect(await summary(collector)).toMatchObject({ types: [], oldest: null, evaluation: null });
  });
});
