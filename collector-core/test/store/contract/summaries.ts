import type { JsonValue } from "@obspan/sdk/wire";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aModelCall, anEvaluation, aSpan } from "../span-batches.js";
import { createHarness, type CreateStore } from "./harness.js";
import { randomRuns } from "../../random-runs.js";

/** The summary of a trace (contract 3). */
export function describeSummaries(createStore: CreateStore): void {
  describe("summaries", () => {
    const harness = createHarness(createStore);
    const { open, append, summaryOf, idsOf } = harness;

    it("counts an llm span inside an llm span once, whichever comes first", async () => {
      const wrapper = aModelCall({ span_id: "wrapper", attributes: { tokens_input: 500 } });
      const inner = aModelCall({ span_id: "inner", parent_span_id: "wrapper" });
      for (const [id, order] of [
        ["outer first", [wrapper, inner]],
        ["inner first", [inner, wrapper]],
      ] as const) {
        for (const span of order) await append({ ...span, trace_id: id });
        expect(await summaryOf(id)).toMatchObject({
          llm_calls: 1,
          tokens_input: 100,
          tokens_output: 10,
          cost_usd: 0.01,
          span_count: 2,
        });
      }
    });

    it("knows a wrapper for one after its child was dropped by the cap", async () => {
      await open({ maxSpansPerTrace: 2 });
      await append([
        aModelCall({ span_id: "inner", parent_span_id: "wrapper" }),
        aModelCall({ span_id: "wrapper" }),
        aSpan({ parent_span_id: "wrapper" }),
      ]);
      expect(await summaryOf()).toMatchObject({ llm_calls: 1, tokens_input: 100, dropped_spans: 1 });
      await append(aModelCall({ span_id: "wrapper", attributes: { tokens_input: 999 } }));
      expect(await summaryOf()).toMatchObject({ llm_calls: 1, tokens_input: 100 });
    });

    it("counts a wrapper again when what was inside it turns out to be no model call", async () => {
      const inner = aModelCall({
        span_id: "inner",
        parent_span_id: "outer",
        attributes: { tokens_input: 0 },
      });
      await append([aModelCall({ span_id: "outer" }), inner]);
      expect(await summaryOf()).toMatchObject({ llm_calls: 1, tokens_input: 0 });
      await append({ ...inner, span_type: "tool" });
      expect(await summaryOf()).toMatchObject({ llm_calls: 1, tool_calls: 1, tokens_input: 100 });
    });

    it("counts each call of a long trace once after any replacements", async () => {
      const id = fc.integer({ min: 0, max: 80 }).map((n) => `span-${n}`);
      const calls = fc.record({
        span_id: id,
        parent_span_id: fc.option(id),
        span_type: fc.constantFrom("llm", "llm", "tool"),
      });
      const batches = fc.array(fc.array(calls, { minLength: 1, maxLength: 60 }), { maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(batches, async (sequence) => {
          await open();
          const kept = new Map<string, { id: string; parent: string | null; type: string }>();
          for (const batch of sequence) {
            await append(batch.map((span) => aModelCall(span)));
            for (const { span_id, parent_span_id, span_type } of batch)
              kept.set(span_id, { id: span_id, parent: parent_span_id, type: span_type });
            const llm = [...kept.values()].filter(({ type }) => type === "llm");
            const isWrapper = (span: { id: string }): boolean =>
              llm.some((child) => child.parent === span.id && child.id !== span.id);
            const counted = llm.filter((span) => !isWrapper(span)).length;
            expect(await summaryOf()).toMatchObject({ span_count: kept.size, llm_calls: counted });
          }
        }),
        { seed: 20260101, numRuns: randomRuns(20) },
      );
    });

    it("counts no wrapper of a long trace after the cap dropped its calls", async () => {
      await open({ maxSpansPerTrace: 40 });
      await append(Array.from({ length: 40 }, () => aModelCall({ parent_span_id: "wrapper" })));
      await append(aModelCall({ span_id: "wrapper", attributes: { tokens_input: 9999 } }));
      await append(Array.from({ length: 39 }, () => aSpan()));
      expect(await summaryOf()).toMatchObject({ llm_calls: 40, tokens_input: 4000, dropped_spans: 40 });
    });

    it("leaves out what the pipeline knows for a wrapper, and evaluations", async () => {
      await append(aModelCall(), { countsUsage: false });
      await append(
        anEvaluation("relevance", 0.5, {
          status: "ERROR",
          duration_ms: 99_000,
          attributes: { tokens_input: 5, cost_usd: 1, model: "judge", agent: "judge" },
        }),
      );
      expect(await summaryOf()).toMatchObject({
        llm_calls: 0,
        tokens_input: 0,
        cost_usd: 0,
        error_count: 0,
        status: "OK",
        span_count: 1,
        models: ["small"],
        agent: null,
        duration_ms: 10,
      });
    });

    it("lists the first 20 models and scores of a trace, however many it has", async () => {
      for (let index = 0; index < 30; index++) {
        await append(aModelCall({ attributes: { model: `model ${index}` } }));
        await append(anEvaluation(`type-${index}`, 0.5));
      }
      const { models, scores } = await summaryOf();
      expect(models).toHaveLength(20);
      expect(models[0]).toBe("model 0");
      expect(scores).toHaveLength(20);
    });

    it("counts tokens on a span that is no model call as they were sent, and no call", async () => {
      await append(aSpan({ span_type: "task", attributes: { tokens_input: 3, cost_usd: 2 } }));
      expect(await summaryOf()).toMatchObject({ llm_calls: 0, tokens_input: 3, cost_usd: 2 });
    });

    it("is named after the span without a parent, and after the earliest one until it comes", async () => {
      const at = (second: number): string => `2026-01-01T00:00:0${second}.000000001Z`;
      await append(
        [
          aSpan({ name: "late", parent_span_id: "root", start_time: at(5) }),
          aSpan({ name: "early", parent_span_id: "root", start_time: at(2), status: "ERROR" }),
        ],
        { service: "worker" },
      );
      expect(await summaryOf()).toMatchObject({ root_name: "early", service: "worker", status: "ERROR" });
      await append(aSpan({ name: "root", span_id: "root", start_time: at(1), duration_ms: 5000.25 }), {
        service: "web",
        env: "test",
        version: "2",
      });
      expect(await summaryOf()).toMatchObject({
        root_name: "root",
        service: "web",
        env: "test",
        version: "2",
        status: "OK",
        error_count: 1,
        error_type: "internal",
        start_time: at(1),
        duration_ms: 5000.25,
      });
    });

    it("counts an error once, where it began", async () => {
      await append([
        aSpan({
          span_id: "root",
          status: "ERROR",
          error_propagated: true,
          attributes: { error_type: "timeout" },
        }),
        aSpan({ parent_span_id: "root", status: "ERROR", attributes: { error_type: "timeout" } }),
      ]);
      expect(await summaryOf()).toMatchObject({ error_count: 1, status: "ERROR", error_type: "timeout" });
    });

    it("shows the first 200 characters of the root's text, or of the first and last model call's", async () => {
      await append([
        aModelCall({
          parent_span_id: "root",
          start_time: "2026-01-01T00:00:02Z",
          attributes: { completion_text: "second" },
        }),
        aModelCall({
          parent_span_id: "root",
          start_time: "2026-01-01T00:00:01Z",
          attributes: {
            prompt_messages: [
              { role: "user", parts: [{ type: "text", content: "old" }] },
              { role: "user", parts: [{ type: "text", content: "🎉".repeat(300) }, { type: "blob" }] },
              { role: "assistant", parts: [{ type: "text", content: "no" }] },
            ],
            completion_text: "first",
          },
        }),
      ]);
      expect(await summaryOf()).toMatchObject({
        input_preview: "🎉".repeat(200),
        output_preview: "second",
      });
      await append(aSpan({ span_id: "root", attributes: { input_text: "asked", output_text: "told" } }));
      expect(await summaryOf()).toMatchObject({ input_preview: "asked", output_preview: "told" });
    });

    it("shows what the user asked a model and what it answered, in the shape of any sender", async () => {
      const result = { role: "user", content: [{ type: "tool_result", content: "3 found" }] };
      const shapes: Readonly<Record<string, readonly [asked: JsonValue, answered: JsonValue]>> = {
        "contract 1": [
          { role: "user", parts: [{ type: "text", content: "asked" }] },
          { role: "assistant", parts: [{ type: "text", content: "told" }] },
        ],
        OpenAI: [
          { role: "user", content: "asked" },
          { role: "assistant", content: "told", tool_calls: [] },
        ],
        "OpenAI's parts": [
          {
            role: "user",
            content: [
              { type: "image_url", image_url: { url: "x" } },
              { type: "input_text", text: "asked" },
            ],
          },
          { type: "message", role: "assistant", content: [{ type: "output_text", text: "told" }] },
        ],
        Anthropic: [
          { role: "user", content: [{ type: "text", text: "asked" }] },
          {
            role: "assistant",
            content: [
              { type: "thinking", thinking: "hm" },
              { type: "text", text: "told" },
            ],
          },
        ],
        Google: [
          { role: "user", parts: [{ text: "asked" }] },
          { role: "model", parts: [{ text: "hm", thought: true }, { text: "told" }] },
        ],
        LangChain: [
          { type: "human", content: "asked" },
          { type: "ai", content: "told" },
        ],
        "plain texts": ["asked", "told"],
      };
      for (const [sender, [asked, answered]] of Object.entries(shapes)) {
        await append([
          aSpan({ trace_id: sender, span_id: "root", start_time: "2026-01-01T00:00:00Z" }),
          aModelCall({
            trace_id: sender,
            parent_span_id: "root",
            start_time: "2026-01-01T00:00:01Z",
            attributes: {
              prompt_messages: [
                { role: "user", content: "old" },
                asked,
                result,
                { role: "system", content: "no" },
              ],
              completion_messages: [answered],
            },
          }),
        ]);
        expect(await summaryOf(sender), sender).toMatchObject({
          input_preview: "asked",
          output_preview: "told",
        });
      }
    });

    it("shows the input of the last model call if the first has none, and none of a tool's results", async () => {
      await append([
        aModelCall({ parent_span_id: "root", start_time: "2026-01-01T00:00:01Z" }),
        aModelCall({
          parent_span_id: "root",
          start_time: "2026-01-01T00:00:02Z",
          attributes: { prompt_text: "asked" },
        }),
      ]);
      expect(await summaryOf()).toMatchObject({ input_preview: "asked", output_preview: null });
      await append(
        aModelCall({
          trace_id: "results",
          attributes: {
            prompt_messages: [
              {
                role: "user",
                content: [
                  { type: "tool_result", content: "3 found" },
                  { type: "image", text: "no" },
                ],
              },
              { role: "user", content: 7 },
              { role: "user" },
              null,
              ["user"],
            ],
          },
        }),
      );
      expect(await summaryOf("results")).toMatchObject({ input_preview: null });
    });

    it("shows the previews of a text of megabytes", async () => {
      await append(
        aModelCall({ attributes: { prompt_text: "p".repeat(2e6), completion_text: "c".repeat(2e6) } }),
      );
      expect(await summaryOf()).toMatchObject({
        input_preview: "p".repeat(200),
        output_preview: "c".repeat(200),
      });
    });

    it("lists as many long names as fit into 1,000 characters, and finds the trace by the others", async () => {
      const names = Array.from({ length: 20 }, (_, index) => `${index}-`.padEnd(240, "n"));
      await append(
        names.map((name) =>
          aSpan({
            span_id: name,
            span_type: "tool",
            attributes: { model: name, provider: name, tool_name: name, prompt_name: name },
          }),
        ),
      );
      const first = names.slice(0, 4);
      expect(await summaryOf()).toMatchObject({
        models: first,
        providers: first,
        tools: first,
        prompts: first,
      });
      expect(await idsOf({ model: names[19] ?? "" })).toEqual(["trace"]);
    });

    it("shows the latest score of each type", async () => {
      await append([
        aSpan(),
        anEvaluation("relevance", 0.2),
        anEvaluation("__proto__", 1, { attributes: { evaluation_label: "fine" } }),
        anEvaluation("relevance", 0.8),
        anEvaluation("toxicity", 7),
        aSpan({ span_type: "evaluation", status: "ERROR", attributes: { evaluation_type: "relevance" } }),
      ]);
      expect((await summaryOf()).scores).toEqual([
        { type: "relevance", score: 0.8, label: null },
        { type: "__proto__", score: 1, label: "fine" },
      ]);
    });

    it("shows a trace of nothing but evaluations", async () => {
      await append(anEvaluation("relevance", 0.5));
      expect(await summaryOf()).toMatchObject({
        root_name: "evaluation.relevance",
        span_count: 0,
        duration_ms: 10,
      });
      expect(await idsOf({ service: "shop" })).toEqual(["trace"]);
    });
  });
}
