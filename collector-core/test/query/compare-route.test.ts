import { describe, expect, it } from "vitest";
import { TraceComparisonSchema, type TraceComparison } from "../../src/api-schema/compare.js";
import { normalizeSpan } from "../../src/span/normalize-span.js";
import { runAtOnce } from "../../src/runtime/steps.js";
import { ComparedSpans } from "../../src/query/compared-spans.js";
import { Value } from "typebox/value";
import { countTurns, everLater } from "../runtime/loop-turns.js";
import { errorOf, span, startCollector, type RunningCollector } from "../running-collector.js";

const LONG = "A long answer. ".repeat(1000);

/** A run of an agent that calls a model and a tool, with what it says. */
const runOf = (traceId: string, says: string, more: readonly Record<string, unknown>[] = []) => [
  span({ trace_id: traceId, span_id: "root", name: "support", span_type: "agent", duration_ms: 900 }),
  span({
    trace_id: traceId,
    span_id: "m",
    parent_span_id: "root",
    name: "answer",
    span_type: "llm",
    start_time: 1_790_000_000_000,
    duration_ms: 400,
    attributes: { model: "m", completion_text: says, tokens_input: 100, cost_usd: 0.01 },
  }),
  ...more.map((fields, index) =>
    span({
      trace_id: traceId,
      parent_span_id: "root",
      span_id: `more-${index}`,
      span_type: "tool",
      start_time: 1_790_000_001_000 + index,
      ...fields,
    }),
  ),
];

async function withRuns(...runs: readonly Record<string, unknown>[][]): Promise<RunningCollector> {
  const running = await startCollector();
  for (const spans of runs) await running.post({ spans });
  await running.settled();
  return running;
}

const shapeOf = ({ steps }: TraceComparison) =>
  steps.map(({ a, b, differences }) => [a?.name ?? null, b?.name ?? null, ...differences]);

describe("contract 9: GET /v1/compare", () => {
  it("answers the steps of two traces beside each other, with their differences", async () => {
    const { url } = await withRuns(
      runOf("a", "It is late."),
      runOf("b", "It is very late.", [
        { name: "search", status: "ERROR", attributes: { error_message: "timeout" } },
      ]),
    );
    const response = await fetch(`${url}/v1/compare?a=a&b=b`);
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    const comparison = (await response.json()) as TraceComparison;
    expect([...Value.Errors(TraceComparisonSchema, comparison)]).toEqual([]);
    expect([comparison.a.trace_id, comparison.b.trace_id]).toEqual(["a", "b"]);
    expect(shapeOf(comparison)).toEqual([
      ["answer", "answer", "output"],
      [null, "search"],
    ]);
    expect(comparison).toMatchObject({ first_divergence: 0, has_all_texts: true });
    expect(comparison.deltas.errors).toEqual({ a: 0, b: 1, delta: 1 });
    expect(comparison.steps[0]).toMatchObject({
      matched_by: "name",
      changed_share: 1 / 9,
      cost_usd: { a: 0.01, b: 0.01, delta: 0 },
      a: { span_id: "m", source_span_ids: ["m"], model: "m", number: 1, level: 0 },
    });
    expect(comparison.steps[1]?.b).toMatchObject({ error: "timeout", span_type: "tool" });
  });

  it("has no difference between a trace and itself", async () => {
    const { get } = await withRuns(runOf("a", LONG, [{ name: "search" }]));
    const comparison = await get<TraceComparison>("/v1/compare?a=a&b=a");
    expect(shapeOf(comparison)).toEqual([
      ["answer", "answer"],
      ["search", "search"],
    ]);
    expect(comparison.first_divergence).toBeNull();
  });

  it("compares long texts as a whole, and their words", async () => {
    const { get } = await withRuns(runOf("a", `${LONG}one`), runOf("b", `${LONG}two`));
    const { steps } = await get<TraceComparison>("/v1/compare?a=a&b=b");
    expect(steps[0]?.differences).toEqual(["output"]);
    expect(steps[0]?.changed_share).toBeLessThan(0.001);
    expect(steps[0]?.changed_share).toBeGreaterThan(0);
  });

  it("compares outputs of many long texts only as a whole", async () => {
    const said = (end: string) => [
      {
        trace_id: end,
        span_id: "m",
        name: "answer",
        span_type: "llm",
        attributes: {
          completion_messages: [
            {
              role: "assistant",
              parts: Array.from({ length: 10 }, () => ({ type: "text", content: LONG + end })),
            },
          ],
        },
      },
    ];
    const { get } = await withRuns(said("one"), said("two"));
    const { steps } = await get<TraceComparison>("/v1/compare?a=one&b=two");
    expect(steps[0]).toMatchObject({ differences: ["output"], changed_share: null });
  });

  it("names the trace that is missing", async () => {
    const { url } = await withRuns(runOf("here", "x"));
    for (const query of ["a=here&b=gone", "a=gone&b=here"]) {
      const error = await errorOf(await fetch(`${url}/v1/compare?${query}`));
      expect(error).toMatchObject({ status: 404, code: "trace_not_found" });
      expect(error.message).toContain('"gone"');
    }
    for (const query of ["a=here", "b=here", "a=here&b=here&c=1"]) {
      const error = await errorOf(await fetch(`${url}/v1/compare?${query}`));
      expect(error).toMatchObject({ status: 400, code: "invalid_query" });
    }
  });

  it("compares traces of a tenant, and of two tenants", async () => {
    const running = await startCollector({ MULTI_TENANT_ENABLED: "true" });
    for (const tenant of ["acme", "globex"])
      await running.post({ spans: runOf("t", `of ${tenant}`) }, { "X-Tenant-ID": tenant });
    await running.settled();
    const ask = (query: string, headers = {}) => fetch(`${running.url}/v1/compare?${query}`, { headers });
    expect(await errorOf(await ask("a=t&b=t"))).toMatchObject({ status: 409, code: "ambiguous_trace" });
    const both = (await (await ask("a=t&b=t&tenant=acme&tenant_b=globex")).json()) as TraceComparison;
    expect([both.a.tenant, both.b.tenant]).toEqual(["acme", "globex"]);
    const one = (await (await ask("a=t&b=t", { "X-Tenant-ID": "acme" })).json()) as TraceComparison;
    expect([one.a.tenant, one.b.tenant, one.first_divergence]).toEqual(["acme", "acme", null]);
  });

  it("works in turns of the event loop", async () => {
    const many = Array.from({ length: 450 }, (_, n) => ({
      name: `tool ${n % 7}`,
      attributes: { input_text: `{"n":${n}}`, output_text: `result ${n} `.repeat(200) },
    }));
    const running = await startCollector({}, { clock: everLater() });
    await running.post({ spans: runOf("a", "x", many) });
    await running.post({ spans: runOf("b", "y", many.toReversed()) });
    await running.settled();
    const turns = countTurns();
    await running.get("/v1/compare?a=a&b=b");
    expect(turns.end()).toBeGreaterThan(50);
  });
});

describe("the spans of a comparison", () => {
  const context = { tenant: "", service: "s", env: "e", version: undefined, receivedAtMs: 0 };
  const read = (attributes: Record<string, unknown>) =>
    normalizeSpan({ name: "n", trace_id: "t", span_id: "s", attributes: attributes as never }, context);

  it("have placeholders that are equal for equal long texts only", () => {
    const kept = new ComparedSpans();
    const [one, same, other] = ["1", "1", "2"].map(
      (end) => runAtOnce(kept.keep(read({ output_text: LONG + end }))).attributes["output_text"] as string,
    );
    expect(one).toBe(same);
    expect(one).not.toBe(other);
    expect(one?.length).toBeLessThan(500);
    expect(kept.fullText(one ?? "")).toBe(`${LONG}1`);
  });

  it("keep only labels and numbers when there is too much text, and say so", () => {
    const kept = new ComparedSpans({ maxKeptBytes: 10_000 });
    runAtOnce(kept.keep(read({ output_text: LONG })));
    expect(kept.hasAll).toBe(true);
    const span = runAtOnce(kept.keep(read({ model: "m", cost_usd: 1, prompt_messages: ["x"], note: LONG })));
    expect(span.attributes).toEqual({ model: "m", cost_usd: 1 });
    expect(kept.hasAll).toBe(false);
  });
});
