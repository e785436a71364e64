import type { Span } from "@obspan/sdk/wire";
import { describe, expect, it } from "vitest";
import type { TraceFilter } from "../../../src/api-schema/trace.js";
import { checkQueries } from "../query-model.js";
import { aModelCall, anEvaluation, aSpan, fromBody } from "../span-batches.js";
import { createHarness, type CreateStore } from "./harness.js";

const aTool = (fields: Partial<Span>): Span =>
  aSpan({ span_type: "tool", ...fields, attributes: { tool_name: "search", ...fields.attributes } });

/** The query language (contract 9, "Asking"). */
export function describeQueries(createStore: CreateStore): void {
  describe("queries", () => {
    const harness = createHarness(createStore);
    const { append, idsOf } = harness;
    const find = (query: string): Promise<string[]> => idsOf({ query });

    async function appendRuns(): Promise<void> {
      await append([
        aSpan({ trace_id: "a", span_id: "a", name: "plan trip", duration_ms: 3000 }),
        aModelCall({
          trace_id: "a",
          parent_span_id: "a",
          attributes: {
            provider: "openai",
            session_id: "s-1",
            user_id: 42,
            prompt_name: "guide",
            prompt_version: 3,
            ttft_ms: 700,
          },
        }),
        aTool({ trace_id: "a", parent_span_id: "a", attributes: { output_text: "2 flights" } }),
      ]);
      await append(
        [
          aSpan({
            trace_id: "b",
            span_id: "b",
            name: "refund",
            status: "ERROR",
            start_time: "2026-01-01T00:01:00Z",
          }),
          aTool({
            trace_id: "b",
            parent_span_id: "b",
            status: "ERROR",
            start_time: "2026-01-01T00:01:00Z",
            attributes: { tool_name: "crm", error_type: "TimeoutError" },
          }),
          aModelCall({
            trace_id: "b",
            parent_span_id: "b",
            start_time: "2026-01-01T00:01:00Z",
            attributes: { model: "large", cost_usd: 0.5, tokens_input: 12_000, prompt_name: "guide" },
          }),
          anEvaluation("relevance", 0.25, { trace_id: "b", parent_span_id: "b" }),
        ],
        { version: "2.0" },
      );
      await append([
        aTool({
          trace_id: "c",
          attributes: {
            output_text: " [] ",
            customer: { tier: "gold", tags: ["new", "eu"] },
            order_id: 4711,
          },
        }),
        aSpan({
          trace_id: "c",
          attributes: {
            "customer.tier": "silver",
            prompt_messages: [{ role: "user", parts: [{ type: "uri", modality: "image", uri: "x" }] }],
          },
        }),
      ]);
    }

    it("contract 9: finds traces by each key", async () => {
      await appendRuns();
      const queries: Readonly<Record<string, readonly string[]>> = {
        'name:"plan trip"': ["a"],
        "name:refund,other": ["b"],
        "service:shop": ["c", "b", "a"],
        "env:staging": [],
        "version:2.0": ["b"],
        "model:large": ["b"],
        "provider:openai": ["a"],
        "tool:crm": ["b"],
        "tool:crm,search": ["c", "b", "a"],
        "session:s-1": ["a"],
        "user:42": ["a"],
        "prompt:guide": ["b", "a"],
        "prompt:guide@3": ["a"],
        "prompt_version:3": ["a"],
        "status:error": ["b"],
        "error_type:timeout": ["b"],
        "type:llm": ["b", "a"],
        "duration:>=3s": ["a"],
        "duration:<1s": ["c", "b"],
        "duration:10..20": ["c", "b"],
        "ttft:>500ms": ["a"],
        "tokens:>10k": ["b"],
        "tokens_in:100": ["a"],
        "tokens_out:10": ["b", "a"],
        "cost:>$0.1": ["b"],
        "score:relevance": ["b"],
        "score:relevance<0.5": ["b"],
        "score:relevance:0.5..1": [],
        "score:<0.3": ["b"],
        "score:toxicity": [],
        "start:>2026-01-01T00:00:30Z": ["b"],
        "start:..2026-01-01T00:00:30Z": ["c", "a"],
        "start:-1h": ["c", "b", "a"],
        "has:error": ["b"],
        "has:score": ["b"],
        "has:image": ["c"],
        "has:tool_error": ["b"],
        "has:image,score": ["c", "b"],
        "tool_output:empty": ["c"],
        "trace_id:a,c": ["c", "a"],
        "@customer.tier:gold": ["c"],
        "@customer.tier:silver": ["c"],
        "@customer.tier:bronze": [],
        "@customer.tags:eu": ["c"],
        "@order_id:4711": ["c"],
        "@order_id:>4000": ["c"],
        "@order_id:1..10": [],
        "@model:large,small": ["b", "a"],
        "@customer:*": ["c"],
        "flights 2": ["a"],
        "trip flights": ["a"],
        '"2 flights"': ["a"],
        '"flights 2"': [],
        "@customer.tier:gold @customer.tier:silver": ["c"],
        "status:OK tool:search": ["c", "a"],
      };
      for (const [query, ids] of Object.entries(queries)) expect(await find(query), query).toEqual(ids);
    });

    it("contract 9: a negated condition holds if no span of the trace meets it", async () => {
      await appendRuns();
      const queries: Readonly<Record<string, readonly string[]>> = {
        "-status:ERROR": ["c", "a"],
        "-tool:search": ["b"],
        "-ttft:>500ms": ["c", "b"],
        "-session:s-1": ["c", "b"],
        "-name:refund": ["c", "a"],
        "-score:relevance": ["c", "a"],
        "-has:error": ["c", "a"],
        "-start:>2026-01-01T00:00:30Z": ["c", "a"],
        "-trip": ["c", "b"],
        "-trip -refund": ["c"],
        "-@customer.tier:gold": ["b", "a"],
        "flights -refund": ["a"],
        "-flights refund": ["b"],
        "-trace_id:a": ["c", "b"],
        "-prompt:guide": ["c"],
      };
      for (const [query, ids] of Object.entries(queries)) expect(await find(query), query).toEqual(ids);
    });

    it("contract 9: has parameters for what the language has keys for", async () => {
      await appendRuns();
      const filters: readonly (readonly [TraceFilter, readonly string[]])[] = [
        [{ session: "s-1" }, ["a"]],
        [{ user: "42" }, ["a"]],
        [{ tool: "crm" }, ["b"]],
        [{ provider: "openai" }, ["a"]],
        [{ version: "2.0" }, ["b"]],
        [{ error_type: "timeout" }, ["b"]],
        [{ prompt: "guide" }, ["b", "a"]],
        [{ prompt: "guide@3" }, ["a"]],
        [{ prompt_version: "3" }, ["a"]],
        [{ tool: "search", query: "-has:image" }, ["a"]],
        [{ q: "2 fl", query: "trip" }, ["a"]],
      ];
      for (const [filter, ids] of filters) expect(await idsOf(filter), JSON.stringify(filter)).toEqual(ids);
    });

    it("answers facets, histograms and selections as lists, and goes on by cursor", async () => {
      await appendRuns();
      const { store } = harness;
      for (const query of ["tool:search", "flights", "-trip", "@order_id:4711 tool_output:empty"]) {
        const ids = await find(query);
        expect((await store.facets({ query })).total, query).toBe(ids.length);
        expect((await store.histogram({ query })).total, query).toBe(ids.length);
        const selected: string[] = [];
        for await (const keys of store.select({ query }))
          selected.push(...keys.map(({ traceId }) => traceId));
        expect(selected.toReversed(), query).toEqual(ids);
        const paged: string[] = [];
        for (let cursor: string | null | undefined; cursor !== null;) {
          const page = await store.list({ query, limit: 1, ...(cursor !== undefined && { cursor }) });
          paged.push(...page.traces.map((trace) => trace.trace_id));
          cursor = page.nextCursor;
        }
        expect(paged, query).toEqual(ids);
        const slowest = await idsOf({ query, order: "slowest" });
        expect(slowest.toSorted(), query).toEqual(ids.toSorted());
      }
      expect(await store.facets({})).toMatchObject({
        tool: [
          { value: "search", count: 2 },
          { value: "crm", count: 1 },
        ],
        provider: [{ value: "openai", count: 1 }],
        version: [{ value: "2.0", count: 1 }],
        prompt: [
          { value: "guide", count: 1 },
          { value: "guide@3", count: 1 },
        ],
        error_type: [
          { value: "internal", count: 1 },
          { value: "timeout", count: 1 },
        ],
      });
    });

    it("finds the pages of several conditions on attributes, in both orders, however far back they are", async () => {
      // Many starts are not in the order of arrival, and the matching traces are rare and far apart.
      const runs = Array.from({ length: 90 }, (_, index) => ({
        id: `r${index}`,
        startMs: Date.UTC(2026, 0, 1) + ((index * 77) % 90) * 1000,
        attributes: { tier: `tier${index % 5}`, region: `region${index % 7}` },
      }));
      for (let at = 0; at < runs.length; at += 20)
        await append(
          runs
            .slice(at, at + 20)
            .map(({ id, startMs, attributes }) =>
              aSpan({ trace_id: id, span_id: id, start_time: new Date(startMs).toISOString(), attributes }),
            ),
        );
      const isMatch = (runIn: (typeof runs)[number], query: string): boolean =>
        query
          .split(" ")
          .every((term) =>
            term.startsWith("-")
              ? !term.endsWith(`:${runIn.attributes.region}`)
              : Object.values(runIn.attributes).some((value) => term.endsWith(`:${value}`)),
          );
      for (const query of ["@tier:tier1 @region:region3", "@tier:tier2 -@region:region0", "-@region:region5"])
        for (const order of ["newest", "start"] as const) {
          const matching = runs.filter((each) => isMatch(each, query)).toReversed();
          if (order === "start") matching.sort((a, b) => b.startMs - a.startMs);
          const paged: string[] = [];
          for (let cursor: string | null | undefined; cursor !== null;) {
            const page = await harness.store.list({ query, order, limit: 1, ...(cursor && { cursor }) });
            paged.push(...page.traces.map((trace) => trace.trace_id));
            cursor = page.nextCursor;
          }
          expect(paged, `${query} ${order}`).toEqual(matching.map(({ id }) => id));
        }
    });

    it("sees a change of a span since it was asked", async () => {
      await append(aTool({ span_id: "t", attributes: { output_text: "x", tier: "gold" } }));
      expect(await find("tool_output:empty")).toEqual([]);
      expect(await find("@tier:gold")).toEqual(["trace"]);
      await append(aTool({ span_id: "t", attributes: { output_text: "" } }));
      expect(await find("tool_output:empty")).toEqual(["trace"]);
      expect(await find("@tier:gold")).toEqual([]);
      expect(await find("-@tier:gold")).toEqual(["trace"]);
    });

    it("finds attributes however their JSON is written", async () => {
      const body =
        String.raw`{"spans":[{"name":"n","trace_id":"t","attributes":{"cust\u006fmer":{"t\u0069er":"g\u006fld"},` +
        String.raw`"n":1.20e1,"constructor":"x","__proto__":{"a":1},"gr\u00fc\u00dfe":"\ud83c\udf89","b":true,"z":null}}]}`;
      await harness.store.append(fromBody(Buffer.from(body), { generatedSpanIds: ["made"] }));
      const found = ["@customer.tier:gold", "@n:12", "@n:12.0", "@constructor:x", "@__proto__.a:1"];
      for (const query of [...found, "@grüße:🎉", "@b:true", "@z:null", "@n:11..13", "-@z:*"])
        expect(await find(query), query).toEqual(["t"]);
      for (const query of ["@customer:gold", "@toString:*", "@customer.Tier:gold", "@b:false", "@n:x"])
        expect(await find(query), query).toEqual([]);
    });

    it("refuses an unknown key or a bad value, and names it", async () => {
      const refused: Readonly<Record<string, object>> = {
        "status:OK servce:shop": { key: "servce", position: 10 },
        "duration:fast": { key: "duration", position: 0 },
        "-start:yesterday": { key: "start", position: 1 },
        "has:fun": { key: "has", position: 0 },
      };
      for (const [query, details] of Object.entries(refused)) {
        const error = { code: "invalid_query", details: { field: "query", ...details } };
        await expect(harness.store.list({ query }), query).rejects.toMatchObject(error);
        await expect(harness.store.facets({ query }), query).rejects.toMatchObject(error);
        await expect(harness.store.histogram({ query }), query).rejects.toMatchObject(error);
      }
    });

    it("answers random queries as a plain evaluation of all spans does", async () => {
      await checkQueries(harness);
    }, 300_000);
  });
}
