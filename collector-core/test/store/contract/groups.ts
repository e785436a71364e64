import type { Span } from "@obspan/sdk/wire";
import { describe, expect, it } from "vitest";
import { GROUP_KEYS, GROUP_ORDERS } from "../../../src/api-schema/group-keys.js";
import type { TraceGroup } from "../../../src/api-schema/groups.js";
import { formatQueryTerm } from "../../../src/api-schema/query/format-query.js";
import { aModelCall, anEvaluation, aSpan } from "../span-batches.js";
import { createHarness, type CreateStore } from "./harness.js";

/** Groups (contract 9). */
export function describeGroups(createStore: CreateStore): void {
  describe("groups", () => {
    const harness = createHarness(createStore);
    const { open, append } = harness;
    const groupsBy = async (by: string, query = ""): Promise<readonly TraceGroup[]> => {
      const filter = query === "" ? {} : { query };
      return (await harness.store.groups({ by, ...filter })).groups;
    };
    const counts = async (by: string): Promise<[string | null, number][]> =>
      (await groupsBy(by)).map(({ value, runs }) => [value, runs]);

    it("contract 9: has the figures of the traces of each value", async () => {
      for (let n = 1; n <= 20; n++)
        await append([
          aModelCall({
            trace_id: `a${n}`,
            duration_ms: n * 10,
            status: n <= 5 ? "ERROR" : "OK",
            attributes: { agent: "planner", ...(n % 2 === 0 && { ttft_ms: n }) },
          }),
          ...(n <= 2 ? [anEvaluation("relevance", n / 4, { trace_id: `a${n}` })] : []),
        ]);
      await append(
        aModelCall({ trace_id: "b", duration_ms: 7, attributes: { agent: "writer", cost_usd: 1 } }),
      );
      await append(aSpan({ trace_id: "c" }));
      expect(await groupsBy("agent")).toEqual([
        {
          value: "planner",
          runs: 20,
          error_ratio: 0.25,
          p50_ms: 100,
          p95_ms: 190,
          ttft_p50_ms: 10,
          tokens_input: 2000,
          tokens_output: 200,
          cost_usd: expect.closeTo(0.2, 10) as number,
          cost_per_run_usd: expect.closeTo(0.01, 10) as number,
          cost_source: "reported",
          scores: [{ type: "relevance", mean: 0.375, count: 2 }],
        },
        expect.objectContaining({ value: null, runs: 1, ttft_p50_ms: null, cost_usd: 0 }),
        expect.objectContaining({ value: "writer", runs: 1, p50_ms: 7, p95_ms: 7, cost_per_run_usd: 1 }),
      ]);
      expect(await groupsBy("agent", "status:ERROR")).toMatchObject([
        { value: "planner", runs: 5, error_ratio: 1 },
      ]);
      expect(await groupsBy("agent", "nowhere")).toEqual([]);
    });

    it("contract 9: says of traces, groups, facets and sessions whether a collector computed some of their cost", async () => {
      await open({ maxSpansPerTrace: 2 });
      const computed = (trace: string, agent: string) =>
        aSpan({
          trace_id: trace,
          span_type: "llm",
          computed_cost_usd: 0.3,
          attributes: { agent, model: "m", session_id: agent },
        });
      await append([
        computed("a", "mixed"),
        aModelCall({ trace_id: "a", attributes: { agent: "mixed" } }),
        aModelCall({ trace_id: "b", attributes: { agent: "told", session_id: "told" } }),
        aSpan({ trace_id: "c", attributes: { agent: "free", session_id: "free" } }),
        computed("d", "capped"),
        aModelCall({ trace_id: "d", attributes: { agent: "capped" } }),
        aModelCall({ trace_id: "d", attributes: { agent: "capped" } }),
      ]);
      const check = async (): Promise<void> => {
        const sources = ["a", "b", "c", "d"].map(async (id) => (await harness.summaryOf(id)).cost_source);
        expect(await Promise.all(sources)).toEqual(["computed", "reported", null, "computed"]);
        const expected = new Map([
          ["mixed", "computed"],
          ["told", "reported"],
          ["free", null],
          ["capped", "computed"],
        ]);
        const groups = await groupsBy("agent");
        expect(new Map(groups.map(({ value, cost_source: source }) => [value, source]))).toEqual(expected);
        const { sessions } = await harness.store.sessions({});
        expect(new Map(sessions.map(({ session_id: id, cost_source: source }) => [id, source]))).toEqual(
          expected,
        );
        for (const [agent, source] of expected)
          expect((await harness.store.facets({ agent })).cost_source, agent).toBe(source);
        expect((await harness.store.facets({})).cost_source).toBe("computed");
        expect((await groupsBy("service"))[0]?.cost_source).toBe("computed");
      };
      await check();
      if (harness.reopen === undefined) return;
      await harness.reopen();
      await check();
    });

    it("contract 9: groups by each key; a trace with several values is in several groups", async () => {
      await append(
        [
          aModelCall({
            trace_id: "a",
            span_id: "root",
            name: "run",
            attributes: {
              provider: "openai",
              session_id: "s",
              user_id: "u",
              prompt_name: "guide",
              prompt_version: "2",
            },
          }),
          aSpan({ trace_id: "a", span_type: "tool", parent_span_id: "root", attributes: { tool_name: "x" } }),
          aSpan({ trace_id: "a", span_type: "tool", parent_span_id: "root", attributes: { tool_name: "y" } }),
        ],
        { version: "1.0", tenant: "acme" },
      );
      await append(aSpan({ trace_id: "b", name: "run", status: "ERROR" }));
      const expected: Readonly<Record<(typeof GROUP_KEYS)[number], [string | null, number][]>> = {
        name: [["run", 2]],
        service: [["shop", 2]],
        env: [["production", 2]],
        version: [
          [null, 1],
          ["1.0", 1],
        ],
        agent: [[null, 2]],
        model: [
          [null, 1],
          ["small", 1],
        ],
        provider: [
          [null, 1],
          ["openai", 1],
        ],
        tool: [
          [null, 1],
          ["x", 1],
          ["y", 1],
        ],
        session: [
          [null, 1],
          ["s", 1],
        ],
        user: [
          [null, 1],
          ["u", 1],
        ],
        tenant: [
          [null, 1],
          ["acme", 1],
        ],
        prompt: [
          [null, 1],
          ["guide@2", 1],
        ],
        prompt_version: [
          [null, 1],
          ["2", 1],
        ],
        status: [
          ["ERROR", 1],
          ["OK", 1],
        ],
        error_type: [
          [null, 1],
          ["internal", 1],
        ],
        type: [
          ["llm", 1],
          ["span", 1],
          ["tool", 1],
        ],
      };
      for (const key of GROUP_KEYS) expect(await counts(key), key).toEqual(expected[key]);
    });

    it("has at most 200 groups, and sums up the others", async () => {
      await open({ maxTraces: 1000 });
      await append(
        Array.from({ length: 210 }, (_, n) => aModelCall({ trace_id: `t${n}`, name: `run ${1000 + n}` })),
      );
      await append(aModelCall({ trace_id: "again", name: "run 1209" }));
      const { groups, other } = await harness.store.groups({ by: "name" });
      expect(groups).toHaveLength(200);
      expect(groups[0]).toMatchObject({ value: "run 1209", runs: 2 });
      expect(other).toEqual({
        groups: 10,
        runs: 10,
        cost_usd: expect.closeTo(0.1, 10) as number,
        cost_source: "reported",
      });
      await append(aSpan({ trace_id: "priced", name: "run 9999", span_type: "llm", computed_cost_usd: 0.3 }));
      expect((await harness.store.groups({ by: "name" })).other).toMatchObject({
        groups: 11,
        cost_source: "computed",
      });
      expect((await harness.store.groups({ by: "service" })).other).toBeNull();
    });

    it("contract 9: ranks the groups by a figure", async () => {
      await append([
        aModelCall({ trace_id: "a", name: "slow", duration_ms: 900, attributes: { cost_usd: 1 } }),
        aModelCall({ trace_id: "b", name: "costly", duration_ms: 100, attributes: { cost_usd: 3 } }),
        aModelCall({ trace_id: "c", name: "busy", duration_ms: 10, attributes: { ttft_ms: 9 } }),
        aModelCall({ trace_id: "d", name: "busy", duration_ms: 500, attributes: { tokens_input: 5000 } }),
        aModelCall({ trace_id: "e", name: "wrong", status: "ERROR", duration_ms: 1 }),
      ]);
      const first = async (order?: (typeof GROUP_ORDERS)[number]): Promise<string | null | undefined> =>
        (await harness.store.groups({ by: "name", ...(order && { order }) })).groups[0]?.value;
      const expected: Record<(typeof GROUP_ORDERS)[number], string> = {
        runs: "busy",
        errors: "wrong",
        p50: "slow",
        p95: "slow",
        ttft: "busy",
        tokens: "busy",
        cost: "costly",
        cost_per_run: "costly",
        value: "busy",
      };
      expect(await first()).toBe("busy");
      for (const order of GROUP_ORDERS) expect(await first(order), order).toBe(expected[order]);
    });

    it("contract 9: has the groups whose value contains a text, in any letter case", async () => {
      for (const [at, name] of ["Anna", "hannah", "otto", "ann%"].entries())
        await append(aModelCall({ trace_id: `t${at}`, name }));
      await append(aSpan({ trace_id: "t2", attributes: { plan: "free" } }));
      const values = async (by: string, contains: string): Promise<(string | null)[]> =>
        (await harness.store.groups({ by, contains })).groups.map(({ value }) => value);
      expect((await values("name", "ANN")).toSorted()).toEqual(["Anna", "ann%", "hannah"]);
      expect(await values("name", "n%")).toEqual(["ann%"]);
      expect(await values("name", "nobody")).toEqual([]);
      // Traces without a value have no text.
      expect(await values("@plan", "e")).toEqual(["free"]);
    });

    it("contract 9: groups by any attribute, as a query compares it", async () => {
      const tier = (trace_id: string, attributes: NonNullable<Span["attributes"]>) =>
        append([
          aSpan({ trace_id, span_id: "root" }),
          aSpan({ trace_id, parent_span_id: "root", attributes }),
        ]);
      await tier("a", { "customer.tier": "gold" });
      await tier("b", { customer: { tier: "gold" } });
      await tier("c", { customer: [{ tier: "silver" }, { tier: 3 }, { tier: true }] });
      await tier("d", { customer: { tier: null } });
      await tier("e", { "customer.tier": ["gold", ["gold", "new"]] });
      await tier("f", { customer: "tier" });
      await tier("g", { "customer.tier": "" });
      await append(aSpan({ trace_id: "e", span_id: "again", attributes: { "customer.tier": "late" } }));
      await append(aSpan({ trace_id: "e", span_id: "again", attributes: { "customer.tier": "new" } }));
      expect(await counts("@customer.tier")).toEqual([
        [null, 3],
        ["gold", 3],
        ["3", 1],
        ["new", 1],
        ["silver", 1],
        ["true", 1],
      ]);
      for (const [value, runs] of await counts("@customer.tier")) {
        const query = formatQueryTerm("@customer.tier", [value ?? "*"].map(String), value === null);
        const found = await harness.store.list({ query: value === null ? "-@customer.tier:*" : query });
        // An empty text is a value for a query.
        expect(found.traces, query).toHaveLength(value === null ? runs - 1 : runs);
      }
      expect(await groupsBy("@customer.tier", "@customer.tier:3")).toHaveLength(3);
      expect(await counts("@nowhere")).toEqual([[null, 7]]);
    });

    it("contract 9: reads attributes again where spans have arrived, and not those of traces that are gone", async () => {
      await append(aSpan({ trace_id: "a", attributes: { plan: "free" } }));
      await append(aSpan({ trace_id: "b", attributes: { plan: "free" } }));
      expect(await counts("@plan")).toEqual([["free", 2]]);
      harness.clock.advance(5000);
      expect(await counts("@plan")).toEqual([["free", 2]]);
      await append(aSpan({ trace_id: "a", attributes: { plan: "paid" } }));
      await harness.store.remove({ tenant: "", traceId: "b" });
      expect(await counts("@plan")).toEqual([
        ["free", 1],
        ["paid", 1],
      ]);
      if (harness.reopen === undefined) return;
      const reopened = await harness.reopen();
      expect((await reopened.groups({ by: "@plan" })).groups).toHaveLength(2);
    });

    it("contract 9: cuts long values, and takes 20 of a trace", async () => {
      await append(aSpan({ trace_id: "a", attributes: { note: "é".repeat(300) } }));
      expect(await counts("@note")).toEqual([["é".repeat(256), 1]]);
      const many = Array.from({ length: 30 }, (_, n) => `v${n}`);
      await append(aSpan({ trace_id: "b", attributes: { many } }));
      expect(await groupsBy("@many")).toHaveLength(21);
    });

    it("contract 9: reads the attributes of the newest traces first, up to a limit", async () => {
      await open({ maxReadBytes: 1500 });
      for (let n = 0; n < 10; n++)
        await append(aSpan({ trace_id: `t${n}`, attributes: { plan: `plan ${n}`, text: "x".repeat(700) } }));
      const { groups, unread } = await harness.store.groups({ by: "@plan" });
      expect(groups.length).toBeGreaterThan(1);
      expect(groups.length).toBeLessThan(5);
      expect(groups.length + unread).toBe(10);
      expect(groups.map(({ value }) => value)).toContain("plan 9");
      expect((await harness.store.groups({ by: "@nowhere" })).unread).toBe(0);
      expect((await harness.store.groups({ by: "name" })).unread).toBe(0);
    });

    it("refuses an unknown key, and attributes without a usable name", async () => {
      for (const by of ["colour", "@", `@${"x".repeat(257)}`, `@${"a.".repeat(20)}b`, "NAME"])
        await expect(harness.store.groups({ by }), by).rejects.toMatchObject({
          code: "invalid_query",
          details: { field: "by" },
        });
      expect(await counts("@constructor.__proto__")).toEqual([]);
    });
  });
}
