import { expect, it } from "vitest";
import type { PartialCompletionEvent } from "../../src/api-schema/live.js";
import { RunningTexts } from "../../src/query/running-texts.js";

const LIMITS = { maxSpans: 1000, maxBytes: 100_000, maxTextsPerTrace: 1000, maxSilenceMs: 1000 };
const KEY = { tenant: "", traceId: "t", receivedAtMs: 0 };

function create(limits: Partial<typeof LIMITS> = {}) {
  const clock = { nowMs: 0 };
  const texts = new RunningTexts({ ...LIMITS, ...limits }, () => clock.nowMs);
  const put = (spanId: string, text: string, key = KEY): void =>
    texts.put({ ...key, spanId, bytes: text.length, text: () => text });
  const shown = (traceId = "t", tenant?: string): string[] =>
    texts.changedSince(0, traceId, tenant).map((text) => {
      const [, data = ""] = /^data: (.*)$/m.exec(Buffer.from(text.encode()).toString()) ?? [];
      return (JSON.parse(data) as PartialCompletionEvent).completion_partial;
    });
  return { clock, texts, put, shown };
}

it("forgets the spans with the oldest update beyond the limit, also with 100,000 running spans", () => {
  const { texts, put, shown } = create();
  for (let index = 0; index < 100_000; index++) {
    texts.start(KEY, `s${index}`);
    put(`s${index}`, "x".repeat(50));
  }
  expect(texts.size).toBe(1000);
  expect(texts.bytes).toBe(50_000);
  expect(shown()).toHaveLength(1000);
  for (let index = 0; index < 100_000; index++) texts.end(KEY, `s${index}`);
  expect([texts.size, texts.bytes, shown().length]).toEqual([0, 0, 0]);
});

it("drops the oldest texts beyond the limit of bytes, and accepts the next text of their spans", () => {
  const { texts, put, shown } = create({ maxBytes: 25 });
  for (const id of ["a", "b", "c"]) texts.start(KEY, id);
  for (const id of ["a", "b", "c"]) put(id, `text of ${id} `);
  expect(shown()).toEqual(["text of b ", "text of c "]);
  put("b", "more of b ");
  put("a", "more of a ");
  expect(shown()).toEqual(["more of b ", "more of a "]);
  put("c", "a text larger than the limit ");
  expect(shown()).toEqual([]);
  expect(texts.bytes).toBe(0);
});

it("forgets a span without an update for the time limit", () => {
  const { clock, texts, put, shown } = create();
  texts.start(KEY, "silent");
  texts.start(KEY, "active");
  put("silent", "old ");
  clock.nowMs = 800;
  put("active", "new ");
  clock.nowMs = 1500;
  texts.expire();
  expect(shown()).toEqual(["new "]);
  put("silent", "back ");
  expect(shown()).toEqual(["new "]);
});

it("tells equal ids of tenants and traces apart", () => {
  const { texts, put, shown } = create();
  const keys = [
    { ...KEY, tenant: "a" },
    { ...KEY, tenant: "b" },
    { ...KEY, tenant: "a", traceId: "t\na" },
  ];
  for (const key of keys) texts.start(key, "s");
  keys.forEach((key, index) => put("s", `text ${index}`, key));
  expect(shown("t")).toEqual(["text 0", "text 1"]);
  expect(shown("t", "b")).toEqual(["text 1"]);
  expect(shown("t\na", "a")).toEqual(["text 2"]);
  texts.remove(({ tenant }) => tenant === "a");
  expect([shown("t"), shown("t\na")]).toEqual([["text 1"], []]);
});

it("drops the oldest text of a trace beyond the limit of a trace, and keeps those of other traces", () => {
  const { texts, put, shown } = create({ maxTextsPerTrace: 2 });
  const other = { ...KEY, traceId: "other" };
  texts.start(other, "a");
  put("a", "other ", other);
  for (const id of ["a", "b", "c"]) texts.start(KEY, id);
  for (const id of ["a", "b", "c", "b"]) put(id, `text of ${id} `);
  expect([shown(), shown("other")]).toEqual([["text of c ", "text of b "], ["other "]]);
  put("a", "more of a ");
  expect(shown()).toEqual(["text of b ", "more of a "]);
});

it("counts the bytes of an event once a text is encoded, and redacts the text once", () => {
  const { texts } = create();
  texts.start(KEY, "s");
  let reads = 0;
  texts.put({ ...KEY, spanId: "s", bytes: 8, text: () => `text ${++reads} ` });
  const [text] = texts.changedSince(0, "t", undefined);
  if (text === undefined) throw new Error("The text is not kept.");
  const event = texts.encode(text);
  expect([texts.encode(text) === event, reads, texts.bytes]).toEqual([true, 1, event.length]);
  texts.end(KEY, "s");
  expect(texts.bytes).toBe(0);
});
