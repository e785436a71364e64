import type { Span } from "@obspan/sdk/wire";
import { describe, expect, it } from "vitest";
import type { SessionQuery, SessionTracesQuery } from "../../../src/api-schema/sessions.js";
import type { SessionTraces, StoredSession } from "../../../src/interfaces.js";
import { aModelCall, anEvaluation, aSpan, type BatchOptions } from "../span-batches.js";
import { createHarness, type CreateStore } from "./harness.js";

const BASE_MS = Date.UTC(2026, 0, 1);
const at = (seconds: number): string => new Date(BASE_MS + seconds * 1000).toISOString();

/** Sessions: the traces of one tenant with one `session_id` (contract 9). */
export function describeSessions(createStore: CreateStore, isShared: boolean): void {
  describe("sessions", () => {
    const harness = createHarness(createStore);
    const { open, append } = harness;

    /** A trace of one span that starts after so many seconds. */
    const spanOf = (
      sessionId: string | undefined,
      traceId: string,
      seconds: number,
      fields: Partial<Span> = {},
    ): Span => {
      const session = sessionId === undefined ? {} : { session_id: sessionId };
      const attributes = { ...session, ...fields.attributes };
      return aModelCall({ trace_id: traceId, start_time: at(seconds), ...fields, attributes });
    };
    const turn = async (
      sessionId: string | undefined,
      traceId: string,
      seconds: number,
      fields: Partial<Span> = {},
      options?: BatchOptions,
    ): Promise<void> => await append(spanOf(sessionId, traceId, seconds, fields), options);
    /** Many traces at once. */
    const turns = async (count: number, spanAt: (n: number) => Span): Promise<void> =>
      await append(Array.from({ length: count }, (_, n) => spanAt(n)));
    const list = async (query: SessionQuery = {}): Promise<readonly StoredSession[]> =>
      (await harness.store.sessions({ limit: 1000, ...query })).sessions;
    const idsOf = async (query: SessionQuery = {}): Promise<string[]> =>
      (await list(query)).map(({ session_id: id }) => id);
    const session = (
      sessionId: string,
      query: SessionTracesQuery = {},
      tenant = "",
    ): Promise<SessionTraces | undefined> => harness.store.session({ tenant, sessionId }, query);
    const turnsOf = async (sessionId: string, query: SessionTracesQuery = {}): Promise<string[]> =>
      ((await session(sessionId, query))?.traces ?? []).map(({ trace_id: id }) => id);

    it("contract 9: are the traces with one session_id, by start", async () => {
      await turn("s", "third", 30);
      await turn("s", "first", 10);
      await turn(undefined, "alone", 15);
      await turn("other", "elsewhere", 16);
      await turn("s", "second", 20);
      expect(await turnsOf("s")).toEqual(["first", "second", "third"]);
      expect(await turnsOf("other")).toEqual(["elsewhere"]);
      expect(await session("none")).toBeUndefined();
      expect(await session("")).toBeUndefined();
    });

    it("contract 9: add up the figures of all their traces", async () => {
      await turn("s", "b", 20, {
        duration_ms: 4000,
        attributes: {
          agent: "refunds",
          model: "large",
          user_id: "u2",
          input_text: "And now?",
          output_text: "Done.",
        },
      });
      await turn("s", "a", 10, {
        duration_ms: 1500,
        attributes: { agent: "support", input_text: "Where is it?", output_text: "In Lyon." },
      });
      await turn("s", "c", 30, {
        duration_ms: 500,
        status: "ERROR",
        attributes: { agent: "support", error_type: "timeout", input_text: "Hello?" },
      });
      expect((await session("s"))?.session).toEqual({
        session_id: "s",
        tenant: "",
        user_id: "u2",
        first_input_preview: "Where is it?",
        last_output_preview: null,
        last_error_type: "timeout",
        traces: 3,
        agents: ["support", "refunds"],
        models: ["small", "large"],
        start_time: at(10),
        last_time: at(30.5),
        active_ms: 6000,
        tokens_input: 300,
        tokens_output: 30,
        cost_usd: 0.03,
        cost_source: "reported",
        errors: 1,
        feedback: { up: 0, down: 0 },
        running: false,
        turns: [
          { trace_id: "a", duration_ms: 1500, status: "OK" },
          { trace_id: "b", duration_ms: 4000, status: "OK" },
          { trace_id: "c", duration_ms: 500, status: "ERROR" },
        ],
        scoreRanges: [],
      });
      expect(await list()).toEqual([(await session("s"))?.session]);
    });

    it("contract 9: end with the latest end of a trace, whichever started last", async () => {
      await turn("s", "long", 10, { duration_ms: 60_000 });
      await turn("s", "short", 20, { duration_ms: 1000 });
      await turn("t", "between", 40, { duration_ms: 1000 });
      const [first, second] = await list();
      expect(first).toMatchObject({ session_id: "s", last_time: at(70), start_time: at(10) });
      expect(second).toMatchObject({ session_id: "t" });
    });

    it("contract 9: have the last ten traces as turns", async () => {
      await turns(14, (n) => spanOf("s", `t${n + 1}`, n + 1));
      const found = (await session("s"))?.session;
      expect(found?.traces).toBe(14);
      expect(found?.turns.map(({ trace_id: id }) => id)).toEqual(
        Array.from({ length: 10 }, (_, index) => `t${index + 5}`),
      );
    });

    it("contract 9: have the extremes of each type of score, and thumbs apart; the last thumb of a trace wins", async () => {
      await turn("s", "a", 10);
      await turn("s", "b", 20);
      await append([
        anEvaluation("relevance", 0.9, { trace_id: "a" }),
        anEvaluation("user_feedback", 1, { trace_id: "a" }),
        anEvaluation("relevance", 0.4, { trace_id: "b" }),
        anEvaluation("user_feedback", 1, { trace_id: "b" }),
      ]);
      await append(anEvaluation("user_feedback", 0, { trace_id: "b" }));
      const found = (await session("s"))?.session;
      expect(found?.feedback).toEqual({ up: 1, down: 1 });
      expect(found?.scoreRanges).toEqual([
        {
          type: "relevance",
          lowest: { traceId: "b", score: 0.4, label: null },
          highest: { traceId: "a", score: 0.9, label: null },
        },
      ]);
    });

    it("run while one of their traces runs, and not when it is abandoned", async () => {
      await turn("s", "a", 10);
      await append(
        aSpan({ trace_id: "b", span_id: "r", status: "RUNNING", attributes: { session_id: "s" } }),
      );
      expect((await session("s"))?.session).toMatchObject({ running: true, traces: 2 });
      expect(await idsOf({ status: "RUNNING" })).toEqual(["s"]);
      harness.clock.advance(31 * 60_000);
      expect((await session("s"))?.session.running).toBe(false);
      expect(await idsOf({ status: "RUNNING" })).toEqual([]);
      expect(await idsOf({ status: "ABANDONED" })).toEqual(["s"]);
    });

    it("get a trace whose first span did not name the session", async () => {
      await append(aSpan({ trace_id: "a", start_time: at(10) }));
      await turn("s", "b", 20);
      expect(await turnsOf("s")).toEqual(["b"]);
      await append(aSpan({ trace_id: "a", start_time: at(11), attributes: { session_id: "s" } }));
      await append(aSpan({ trace_id: "a", start_time: at(12), attributes: { session_id: "later" } }));
      expect(await turnsOf("s")).toEqual(["a", "b"]);
      expect(await session("later")).toBeUndefined();
    });

    it("lose traces that are removed, and end with the last one", async () => {
      for (let n = 1; n <= 3; n++) await turn("s", `s${n}`, n);
      await turn("t", "t1", 10);
      await harness.store.remove({ tenant: "", traceId: "s2" });
      expect(await turnsOf("s")).toEqual(["s1", "s3"]);
      expect((await list()).find(({ session_id: id }) => id === "s")).toMatchObject({
        traces: 2,
        tokens_input: 200,
      });
      await harness.store.remove({ tenant: "", traceId: "t1" });
      expect(await idsOf()).toEqual(["s"]);
      expect(await session("t")).toBeUndefined();
      await harness.store.clear();
      expect(await list()).toEqual([]);
    });

    it.skipIf(isShared)("lose traces that are evicted, and end with the last one", async () => {
      await open({ maxTraces: 3 });
      for (let n = 1; n <= 2; n++) await turn("s", `s${n}`, n);
      for (let n = 1; n <= 2; n++) await turn("t", `t${n}`, 10 + n);
      expect(await idsOf()).toEqual(["t", "s"]);
      expect(await turnsOf("s")).toEqual(["s2"]);
      await turn("t", "t3", 20);
      expect(await idsOf()).toEqual(["t"]);
      expect(await session("s")).toBeUndefined();
    });

    it.skipIf(isShared)("expire with their traces", async () => {
      await open({ ttlSeconds: 60 });
      await turn("s", "a", 1);
      harness.clock.advance(40_000);
      await turn("s", "b", 2);
      await turn("t", "c", 3);
      harness.clock.advance(30_000);
      expect(await turnsOf("s")).toEqual(["b"]);
      expect((await session("s"))?.session.traces).toBe(1);
      harness.clock.advance(40_000);
      expect(await list()).toEqual([]);
      expect(await session("s")).toBeUndefined();
    });

    it("survive a restart with what the store keeps", async () => {
      await turn("s", "a", 10);
      await turn("s", "b", 20, { duration_ms: 700 });
      const before = await list();
      if (harness.reopen === undefined) return;
      await harness.reopen();
      expect(await list()).toEqual(before);
      await turn("s", "c", 30);
      expect(await turnsOf("s")).toEqual(["a", "b", "c"]);
    });

    it("contract 3: two tenants' equal ids are two sessions", async () => {
      await turn("s", "a", 10, {}, { tenant: "acme" });
      await turn("s", "b", 20, {}, { tenant: "globex" });
      await turn("s", "c", 30, {}, { tenant: "acme" });
      await turn("acme", "d", 40, {}, { tenant: "s" });
      expect((await list({ tenant: "acme" })).map(({ traces }) => traces)).toEqual([2]);
      expect((await session("s", {}, "acme"))?.traces.map(({ trace_id: id }) => id)).toEqual(["a", "c"]);
      expect((await session("s", {}, "globex"))?.session).toMatchObject({ tenant: "globex", traces: 1 });
      expect(await session("s")).toBeUndefined();
      expect(await harness.store.tenantsOfSession("s")).toEqual(["acme", "globex"]);
      expect(await harness.store.tenantsOfSession("none")).toEqual([]);
      expect((await list()).map(({ tenant, session_id: id }) => [tenant, id])).toEqual([
        ["s", "acme"],
        ["acme", "s"],
        ["globex", "s"],
      ]);
    });

    it("take any id", async () => {
      const ids = [
        "__proto__",
        "constructor",
        ".",
        "..",
        "a/b?c=d&e#f",
        "%2e%2e",
        "'; DROP TABLE trace; --",
        "\u0000nul",
        "\ud800 lone",
        "👩‍👩‍👧",
        "‮rtl",
        " ",
        "x".repeat(256),
      ];
      await append(
        ids.flatMap((id, index) => [spanOf(id, `a${index}`, index), spanOf(id, `b${index}`, index)]),
      );
      // Another process is sent UTF-8, which has no lone surrogates.
      const kept = isShared ? ids.map((id) => id.toWellFormed()) : ids;
      expect(new Set(await idsOf())).toEqual(new Set(kept));
      for (const [index, id] of ids.entries()) expect(await turnsOf(id)).toEqual([`a${index}`, `b${index}`]);
    });

    it("are listed if one of their traces matches, and stay whole", async () => {
      await turn("s", "a", 10, {}, { service: "shop" });
      await turn("s", "b", 20, { status: "ERROR", attributes: { prompt_text: "Wo ist mein Paket?" } });
      await turn("t", "c", 30, { attributes: { model: "large" } }, { service: "other", env: "test" });
      await turn(undefined, "d", 40, { status: "ERROR" });
      expect(await idsOf()).toEqual(["t", "s"]);
      expect(await idsOf({ status: "ERROR" })).toEqual(["s"]);
      expect((await list({ status: "ERROR" }))[0]?.traces).toBe(2);
      expect(await idsOf({ service: "other" })).toEqual(["t"]);
      expect(await idsOf({ model: "large", env: "test" })).toEqual(["t"]);
      expect(await idsOf({ q: "paket" })).toEqual(["s"]);
      expect(await idsOf({ q: "paket", model: "large" })).toEqual([]);
      expect(await idsOf({ trace_id: "a" })).toEqual(["s"]);
      expect(await idsOf({ since: at(25) })).toEqual(["t"]);
      expect(await idsOf({ until: at(15) })).toEqual(["s"]);
      expect(await idsOf({ service: "nobody" })).toEqual([]);
      for (const order of ["slowest", "costliest"] as const) {
        expect(await idsOf({ order, status: "ERROR" })).toEqual(["s"]);
        expect(await idsOf({ order, q: "paket" })).toEqual(["s"]);
      }
    });

    it("contract 9: are listed by what they are as a whole", async () => {
      const usd = (cost_usd: number): Partial<Span> => ({ attributes: { cost_usd } });
      await turn("short", "a", 10, usd(0.02));
      await turn("long", "b", 20, usd(0.1));
      await turn("long", "c", 30, { ...usd(0.2), status: "ERROR" });
      await turn("long", "d", 40, usd(0));
      await turn("live", "e", 50, usd(0.05));
      await append(
        aSpan({
          trace_id: "f",
          span_id: "r",
          start_time: at(60),
          status: "RUNNING",
          attributes: { session_id: "live" },
        }),
      );
      await append([
        anEvaluation("user_feedback", 1, { trace_id: "a" }),
        anEvaluation("user_feedback", 1, { trace_id: "b" }),
        anEvaluation("user_feedback", 0, { trace_id: "c" }),
        anEvaluation("relevance", 0.1, { trace_id: "e" }),
      ]);
      const found = async (query: string): Promise<string[]> => (await idsOf({ query })).toSorted();
      expect(await found("turns:>1")).toEqual(["live", "long"]);
      expect(await found("turns:1,3")).toEqual(["long", "short"]);
      expect(await found("-turns:2..3")).toEqual(["short"]);
      // A sum of floats is not the number that is written.
      expect(await found("session_cost:0.3")).toEqual(["long"]);
      expect(await found("session_cost:<=0.05")).toEqual(["live", "short"]);
      expect(await found("cost:>=0.2")).toEqual(["long"]);
      expect(await found("state:running")).toEqual(["live"]);
      expect(await found("state:idle")).toEqual(["long", "short"]);
      expect(await found("state:running,failed")).toEqual(["live", "long"]);
      expect(await found("-state:failed state:idle")).toEqual(["short"]);
      expect(await found("feedback:up")).toEqual(["long", "short"]);
      expect(await found("feedback:down")).toEqual(["long"]);
      expect(await found("feedback:none")).toEqual(["live"]);
      expect(await found("-feedback:down turns:>1")).toEqual(["live"]);
      // One trace of the session meets what is asked of traces, and the session the rest.
      expect(await found("status:OK turns:3 session_cost:>0.2")).toEqual(["long"]);
      expect(await found("status:RUNNING turns:3")).toEqual([]);
      for (const order of ["slowest", "costliest"] as const)
        expect((await idsOf({ order, query: "turns:>1 -state:failed" })).toSorted()).toEqual(["live"]);

      // The last thumb of a trace wins.
      await append(anEvaluation("user_feedback", 0, { trace_id: "a" }));
      expect(await found("feedback:up")).toEqual(["long"]);
      await harness.store.remove({ tenant: "", traceId: "c" });
      expect(await found("state:failed")).toEqual([]);
      expect(await found("turns:2")).toEqual(["live", "long"]);
      for (const query of ["turns:many", "state:waiting", "feedback:good", "session_cost:1€", "nobody:x"])
        await expect(harness.store.sessions({ query })).rejects.toMatchObject({ code: "invalid_query" });
      await expect(harness.store.list({ query: "turns:>1" })).rejects.toMatchObject({
        code: "invalid_query",
        details: { key: "turns", position: 0 },
      });
    });

    it("contract 9: leave the traces that name none, which an empty id finds", async () => {
      await turn("s", "a", 10, { status: "ERROR" });
      await append(aSpan({ trace_id: "alone", status: "ERROR" }));
      await append(aSpan({ trace_id: "other" }));
      const found = async (query: string): Promise<string[]> =>
        (await harness.store.list({ query })).traces.map(({ trace_id: id }) => id).toSorted();
      expect(await found('session:""')).toEqual(["alone", "other"]);
      expect(await found('session:"",s')).toEqual(["a", "alone", "other"]);
      expect(await found('-session:""')).toEqual(["a"]);
      expect(await found('status:ERROR session:""')).toEqual(["alone"]);
      expect((await harness.store.facets({ query: 'session:""' })).total).toBe(2);
    });

    it("contract 9: are found as a whole among many, in pages", async () => {
      await open({ maxTraces: 2000 });
      // Every 17th session has two turns, the rest one.
      await turns(700, (n) => spanOf(`s${n}`, `t${n}`, n));
      await turns(41, (n) => spanOf(`s${n * 17}`, `again${n}`, 1000 + n));
      for (const query of ["turns:2", "turns:2 status:OK"]) {
        const paged: string[] = [];
        for (let cursor: string | null | undefined; cursor !== null;) {
          const page = await harness.store.sessions({
            query,
            limit: 9,
            ...(cursor !== undefined && { cursor }),
          });
          paged.push(...page.sessions.map(({ session_id: id }) => id));
          cursor = page.nextCursor;
        }
        expect(paged).toEqual(Array.from({ length: 41 }, (_, n) => `s${(40 - n) * 17}`));
      }
      expect(await idsOf({ query: "turns:3" })).toEqual([]);
      expect((await list({ query: "turns:1" })).length).toBe(700 - 41);
    });

    it("come latest first, slowest first and costliest first", async () => {
      await turn("quick", "a", 10, { duration_ms: 10, attributes: { cost_usd: 0.5 } });
      await turn("slow", "b", 5, { duration_ms: 3000, attributes: { cost_usd: 0.1 } });
      await turn("slow", "c", 7, { duration_ms: 3000, attributes: { cost_usd: 0.1 } });
      await turn("third", "d", 1, { duration_ms: 5000, attributes: { cost_usd: 0.3 } });
      expect(await idsOf()).toEqual(["quick", "slow", "third"]);
      expect(await idsOf({ order: "newest" })).toEqual(["quick", "slow", "third"]);
      expect(await idsOf({ order: "slowest" })).toEqual(["slow", "third", "quick"]);
      expect(await idsOf({ order: "costliest" })).toEqual(["quick", "third", "slow"]);
    });

    it("come in pages while traces come and go, none twice and none left out", async () => {
      await open({ maxTraces: 1000 });
      await turns(60, (n) => spanOf(`s${n % 23}`, `t${n}`, (n * 37) % 101, { duration_ms: n % 7 }));
      for (const order of ["newest", "slowest", "costliest"] as const) {
        const whole = await idsOf({ order });
        expect(whole).toHaveLength(23);
        const paged: string[] = [];
        for (let cursor: string | null | undefined, page = 0; cursor !== null; page++) {
          const answer = await harness.store.sessions({
            order,
            limit: 4,
            ...(cursor !== undefined && { cursor }),
          });
          paged.push(...answer.sessions.map(({ session_id: id }) => id));
          cursor = answer.nextCursor;
          // It counts on none of the pages.
          await turn(`s${page}`, `late ${order} ${page}`, 500 + page, { duration_ms: 9000 });
          await turn(`new ${order} ${page}`, `newer ${order} ${page}`, 600 + page);
        }
        expect(paged).toEqual(whole);
        for (let page = 0; page < 10; page++)
          for (const traceId of [`late ${order} ${page}`, `newer ${order} ${page}`])
            await harness.store.remove({ tenant: "", traceId });
      }
    });

    it("have their traces in pages, from the first or from the last", async () => {
      await open({ maxTraces: 1000 });
      const starts = Array.from({ length: 50 }, (_, n) => (n * 17) % 29);
      await append(starts.map((seconds, n) => spanOf("s", `t${n}`, seconds)));
      const inOrder = starts
        .map((seconds, n) => ({ seconds, n }))
        .sort((a, b) => a.seconds - b.seconds || a.n - b.n)
        .map(({ n }) => `t${n}`);
      for (const order of ["oldest", "newest"] as const) {
        const paged: string[] = [];
        for (let cursor: string | null | undefined; cursor !== null;) {
          const answer = await session("s", { order, limit: 7, ...(cursor !== undefined && { cursor }) });
          paged.push(...(answer?.traces ?? []).map(({ trace_id: id }) => id));
          expect(answer?.session.traces).toBe(50);
          cursor = answer?.nextCursor ?? null;
        }
        expect(paged).toEqual(order === "oldest" ? inOrder : inOrder.toReversed());
      }
      expect((await session("s", { limit: 50 }))?.nextCursor).toBeNull();
    });

    it("refuse cursors of another list, another order and another store", async () => {
      for (let n = 0; n < 4; n++) await turn(`s${n % 2}`, `t${n}`, n);
      const ofTraces = (await harness.store.list({ limit: 1 })).nextCursor ?? "";
      const ofSessions = (await harness.store.sessions({ limit: 1 })).nextCursor ?? "";
      const ofTurns = (await session("s0", { limit: 1 }))?.nextCursor ?? "";
      expect([ofTraces, ofSessions, ofTurns].filter((cursor) => cursor === "")).toEqual([]);
      const refused = { code: "invalid_query" };
      for (const cursor of ["", "x", ofTraces, ofTurns, `${ofSessions}A`])
        await expect(harness.store.sessions({ cursor })).rejects.toMatchObject(refused);
      await expect(harness.store.sessions({ cursor: ofSessions, order: "slowest" })).rejects.toMatchObject(
        refused,
      );
      for (const cursor of ["", ofTraces, ofSessions])
        await expect(session("s0", { cursor })).rejects.toMatchObject(refused);
      await expect(session("s0", { cursor: ofTurns, order: "newest" })).rejects.toMatchObject(refused);
      await expect(harness.store.list({ cursor: ofSessions })).rejects.toMatchObject(refused);
      await expect(harness.store.sessions({ since: "yesterday" })).rejects.toMatchObject(refused);
    });

    it("stop when the client is gone", async () => {
      await turn("s", "a", 1);
      const gone = AbortSignal.abort(new Error("gone"));
      await expect(harness.store.sessions({}, gone)).rejects.toThrow("gone");
      await expect(harness.store.session({ tenant: "", sessionId: "s" }, {}, gone)).rejects.toThrow("gone");
      await expect(harness.store.tenantsOfSession("s", gone)).rejects.toThrow("gone");
    });

    it("count each change at the beginning of a long session, and what follows at its end", async () => {
      await open({ maxTraces: 1000 });
      await turns(600, (n) => spanOf("s", `t${n}`, n));
      const tokens = async (): Promise<number | undefined> => (await session("s"))?.session.tokens_input;
      expect(await tokens()).toBe(60_000);
      await turn("s", "t600", 600);
      expect(await tokens()).toBe(60_100);
      await turn("s", "between", 100.5);
      expect(await tokens()).toBe(60_200);
      await append(aModelCall({ trace_id: "t7", start_time: at(7) }));
      expect(await tokens()).toBe(60_300);
      // A trace leaves the beginning: it starts later than it seemed.
      await append(
        aSpan({ trace_id: "moved", span_id: "m", start_time: at(50), attributes: { session_id: "s" } }),
      );
      expect((await session("s"))?.session.traces).toBe(603);
      await append(
        aModelCall({ trace_id: "moved", span_id: "m", start_time: at(900), attributes: { session_id: "s" } }),
      );
      expect(await tokens()).toBe(60_400);
      await harness.store.remove({ tenant: "", traceId: "t3" });
      expect(await tokens()).toBe(60_300);
      await turn("s", "t601", 901);
      const found = (await session("s"))?.session;
      expect(found).toMatchObject({ traces: 603, tokens_input: 60_400, start_time: at(0) });
      expect(found?.turns.at(-1)?.trace_id).toBe("t601");
    });

    it("are found by a filter that few of many match", async () => {
      await open({ maxTraces: 2000 });
      await turns(700, (n) => spanOf(`s${n}`, `t${n}`, n, { status: n % 170 === 3 ? "ERROR" : "OK" }));
      await turn("s3", "later", 350);
      const failed = await idsOf({ status: "ERROR" });
      expect(failed).toEqual(["s683", "s513", "s3", "s343", "s173"]);
      const first = await harness.store.sessions({ status: "ERROR", limit: 2 });
      const second = await harness.store.sessions({
        status: "ERROR",
        limit: 2,
        cursor: first.nextCursor ?? "",
      });
      expect(second.sessions.map(({ session_id: id }) => id)).toEqual(["s3", "s343"]);
      expect(await idsOf({ status: "ERROR", min_duration_ms: 1e6 })).toEqual([]);
    });

    it("keep figures of long sessions, and count each change of them", async () => {
      await open({ maxTraces: 1000 });
      await turns(80, (n) => spanOf("s", `t${n}`, n));
      const figures = async () => (await list())[0];
      expect(await figures()).toMatchObject({ traces: 80, tokens_input: 8000 });
      await turn("s", "t80", 80);
      expect(await figures()).toMatchObject({ traces: 81, tokens_input: 8100 });
      await append(aModelCall({ trace_id: "t3", start_time: at(3) }));
      expect(await figures()).toMatchObject({ traces: 81, tokens_input: 8200 });
      await harness.store.remove({ tenant: "", traceId: "t3" });
      expect(await figures()).toMatchObject({ traces: 80, tokens_input: 8000 });
      await append(anEvaluation("user_feedback", 1, { trace_id: "t5" }));
      expect(await figures()).toMatchObject({ feedback: { up: 1, down: 0 } });
    });
  });
}
