import type { Span } from "@obspan/sdk/wire";
import { describe, expect, it } from "vitest";
import { aSpan, FakeClock, fromBody } from "../span-batches.js";
import { createHarness, type CreateStore } from "./harness.js";

/** The search for a text (contract 3). */
export function describeTextSearch(createStore: CreateStore, isShared: boolean): void {
  describe("text search", () => {
    const harness = createHarness(createStore);
    const { open, append, idsOf } = harness;

    const finds = async (q: string): Promise<boolean> => (await idsOf({ q })).length > 0;

    it("finds text in names and in strings at any depth, in any letter case", async () => {
      await append(
        aSpan({
          name: "Plan Trip",
          attributes: {
            prompt_messages: [{ role: "user", parts: [{ type: "text", content: "To LISBON, please" }] }],
            session_id: "s-42",
            "secret key": true,
          },
        }),
      );
      for (const q of ["plan trip", "PLAN", "lisbon, P", "S-42", "n t"]) expect(await finds(q), q).toBe(true);
      for (const q of [
        "paris",
        "session_id",
        "secret key",
        "parts",
        "trace_id",
        "production",
        "lisbon  please",
      ]) {
        expect(await finds(q), q).toBe(false);
      }
    });

    it("contract 1: finds text in the part of a name that is kept", async () => {
      await append(aSpan({ name: `${"n".repeat(250)}inside${"n".repeat(10)}outside` }));
      expect(await finds("inside")).toBe(true);
      expect(await finds("outside")).toBe(false);
    });

    it("finds text that JSON writes with escapes", async () => {
      const body = String.raw`{"spans":[{"name":"n","trace_id":"t","attributes":{"a":"say \"hi\"\nto \u0041da\/Bob \\ end","b":"gr\u00fc\u00dfe \ud83c\udf89","c":"tab\there"}}]}`;
      await harness.store.append(fromBody(Buffer.from(body), { generatedSpanIds: ["made"] }));
      for (const q of [
        '"HI"',
        'hi"\nto',
        "to ada/bob",
        "ADA",
        "\\ END",
        "grüße",
        "GRÜSSE 🎉",
        "tab\there",
        "\n",
      ]) {
        expect(await finds(q), q).toBe(true);
      }
      for (const q of ["\\n", "u0041", '\\"', "nto", "made"]) expect(await finds(q), q).toBe(false);
    });

    it("finds escaped and unescaped slashes and quotes without \\u escapes beside them", async () => {
      const body = String.raw`{"spans":[{"name":"n","trace_id":"t","attributes":{"a":"https:\/\/host\/path","b":"c:\\dir","c":"a/b"}}]}`;
      await harness.store.append(fromBody(Buffer.from(body), { generatedSpanIds: ["made"] }));
      for (const q of ["https://HOST/path", "c:\\DIR", "a/b", "/"]) expect(await finds(q), q).toBe(true);
      for (const q of ["\\/", "c:\\\\dir", "a\\b"]) expect(await finds(q), q).toBe(false);
    });

    it("folds the case of letters beyond ASCII", async () => {
      await append(aSpan({ attributes: { prompt_text: "Straße ΟΔΟΣ ÉCOLE 東京 Ёлка 300\u212A" } }));
      for (const q of ["STRASSE", "οδος", "οδοσ é", "école", "東京", "ёЛКА", "300k"]) {
        expect(await finds(q), q).toBe(true);
      }
      expect(await finds("京東")).toBe(false);
    });

    it("finds letters with marks however they are put together, there and in what is asked for", async () => {
      const words = ["größe", "Việt Nam", "각도", "Škoda"];
      for (const form of ["NFC", "NFD"] as const) {
        await append(
          aSpan({ trace_id: form, attributes: { prompt_text: words.join(", ").normalize(form) } }),
        );
      }
      for (const word of [...words, "GRÖẞE", "ŠKODA"])
        for (const form of ["NFC", "NFD"] as const)
          expect(await idsOf({ q: word.normalize(form) }), `${word} in ${form}`).toEqual(["NFD", "NFC"]);
      expect(await finds("große")).toBe(false);
    });

    it("sees a text that came, went or was replaced since it was searched for", async () => {
      await append(aSpan({ span_id: "a", name: "needle" }));
      await append(aSpan({ trace_id: "other", name: "hay" }));
      expect(await idsOf({ q: "needle" })).toEqual(["trace"]);
      await append(aSpan({ span_id: "a", name: "hay" }));
      expect(await idsOf({ q: "needle" })).toEqual([]);
      await append(aSpan({ trace_id: "other", name: "Needle" }));
      expect(await idsOf({ q: "needle" })).toEqual(["other"]);
      expect((await harness.store.facets({ q: "needle" })).total).toBe(1);
      expect((await harness.store.histogram({ q: "needle" })).total).toBe(1);
      // More texts than are remembered, and then the first again.
      for (let n = 0; n < 40; n++) expect(await idsOf({ q: `hay ${n}` })).toEqual([]);
      expect(await idsOf({ q: "hay" })).toEqual(["other", "trace"]);
    });

    it("lists the newest matches first and goes on by cursor", async () => {
      for (let n = 0; n < 30; n++) {
        await append(aSpan({ trace_id: `t${n}`, name: n % 3 === 0 ? "needle" : "hay" }));
      }
      const first = await harness.store.list({ q: "needle", limit: 4 });
      const second = await harness.store.list({ q: "needle", limit: 10, cursor: first.nextCursor ?? "" });
      expect([...first.traces, ...second.traces].map((trace) => trace.trace_id)).toEqual(
        [27, 24, 21, 18, 15, 12, 9, 6, 3, 0].map((n) => `t${n}`),
      );
    });

    it("does not list a trace that goes while it is searched", async () => {
      const impatient = new FakeClock();
      impatient.monotonic = () => (impatient.monotonicMs += 3);
      await open({ clock: impatient });
      await append([...Array.from({ length: 20 }, () => aSpan()), aSpan({ name: "needle" })]);
      const search = harness.store.list({ q: "needle" });
      await harness.store.remove({ tenant: "", traceId: "trace" });
      expect((await search).traces).toEqual([]);
    });

    it.skipIf(isShared)("stays right while traces come and go between its slices", async () => {
      const impatient = new FakeClock();
      impatient.monotonic = () => (impatient.monotonicMs += 3);
      await open({ clock: impatient, maxTraces: 40 });
      const fillers = (from: number, to: number): Span[] =>
        Array.from({ length: to - from }, (_, n) =>
          aSpan({ trace_id: `t${from + n}`, attributes: { prompt_text: `needle ${from + n}` } }),
        );
      await append(fillers(0, 40));
      const ended: string[] = [];
      const search = harness.store.list({ q: "needle", limit: 1000 }).finally(() => ended.push("search"));
      await append(fillers(40, 50));
      await harness.store.remove({ tenant: "", traceId: "t30" });
      // A store with a thread of its own may answer before it takes what came later.
      const isOfBefore = ended.length > 0;
      for (const n of [35, 36, 37, 38, 39]) await harness.store.remove({ tenant: "", traceId: `t${n}` });
      const found = (await search).traces;
      const ids = found.map((trace) => trace.trace_id);
      expect(new Set(ids).size).toBe(ids.length);
      if (!isOfBefore) expect(ids).not.toContain("t30");
      // Those that were there all the time; what was evicted or deleted before its turn may be missing, not more.
      expect(ids).toEqual(expect.arrayContaining([34, 33, 32, 31, 29, 20, 11, 10].map((n) => `t${n}`)));
      if (!isOfBefore) expect(ids).not.toContain("t9");
    });
  });
}
