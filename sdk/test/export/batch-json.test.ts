import { describe, expect, it } from "vitest";
import type { TraceState } from "../../src/capture/context.js";
import { RecordedSpan } from "../../src/capture/recorded-span.js";
import type { Runtime } from "../../src/capture/runtime.js";
import { createTextPolicy } from "../../src/capture/text-policy.js";
import { takeBatchJson } from "../../src/export/batch-json.js";
import type { SpanBatch } from "../../src/wire/index.js";

const HEAD = { service: "shop", env: "test", version: undefined, batch_id: "0123456789abcdef" };
const TRACE: TraceState = {
  traceId: "0af7651916cd43dd8448eb211c80319c",
  clockOffsetMs: 1_763_755_000_000.25,
  flags: "01",
  sessionId: undefined,
  userId: undefined,
  agent: undefined,
};
const RUNTIME = {
  policy: createTextPolicy({
    capturePrompt: true,
    captureCompletion: true,
    capture: "full",
    mask: undefined,
  }),
  exporter: { offer: () => undefined },
} as unknown as Runtime;

/** A span that has ended. */
function span(change: (span: RecordedSpan) => void = () => undefined, name = "chat"): RecordedSpan {
  const made = new RecordedSpan(RUNTIME, name, "llm", TRACE, undefined, 0.5678);
  change(made);
  made.end();
  return made;
}

/** What is sent of the spans. */
function sent(spans: readonly RecordedSpan[], byHand: boolean): SpanBatch {
  const copies = spans.map((one): RecordedSpan =>
    Object.assign(Object.create(RecordedSpan.prototype) as RecordedSpan, one),
  );
  return JSON.parse(takeBatchJson(HEAD, copies, byHand)) as SpanBatch;
}

describe("a batch written by hand is what JSON.stringify makes of it", () => {
  it.each<[string, (span: RecordedSpan) => void]>([
    ["no attributes", () => undefined],
    ["plain values", (one) => one.setAttributes({ model: "m", n: 3, ok: true, off: false, text: "a b" })],
    ["texts beside each other, first and last", (one) => one.setAttributes({ a: "x", b: "y", c: 1, d: "" })],
    [
      "numbers of every kind",
      (one) => one.setAttributes({ a: -0, b: 1e21, c: 0.1, d: 5e-324, e: -7, f: 2 ** 53 }),
    ],
    ["quotes and backslashes", (one) => one.setAttributes({ text: 'say "\\"', more: "plain" })],
    [
      "line breaks and control characters",
      (one) => one.setAttributes({ text: "a\nb\t\r\u0000\u001f\u007f" }),
    ],
    ["an escape behind many characters", (one) => one.setAttributes({ text: `${"x".repeat(1001)}"` })],
    [
      "other scripts, emoji, half a pair",
      (one) => one.setAttributes({ a: "é", b: "漢字", c: "🙂", d: "\ud83d", e: "\u2028" }),
    ],
    ["lists and objects", (one) => one.setAttributes({ list: [1, "a", { b: null }], of: { c: "d" } })],
    [
      "keys of any name",
      (one) => one.setAttribute('"quoted"', 1).setAttribute("ключ", "a").setAttribute("", "b"),
    ],
    ["the key __proto__", (one) => one.setAttribute("__proto__", "a").setAttribute("b", 1)],
    ["keys that are numbers", (one) => one.setAttributes({ b: 1, 2: "two", 1: "one" })],
    ["an event", (one) => one.addEvent("retry", { attempt: 2 }).setAttribute("a", 1)],
    ["an error", (one) => one.recordError(new Error("no"))],
    ["a status of its own", (one) => one.setStatus('AL"MOST')],
  ])("%s", (_, change) => {
    const one = span(change);
    expect(sent([one], true)).toEqual(sent([one], false));
  });

  it("a name that needs escapes, a parent, an error that came from inside, a span that goes on", () => {
    const parent = span(undefined, 'the "shop"');
    const child = new RecordedSpan(RUNTIME, "child", "tool", TRACE, parent, 1.5);
    child.errorPropagated = true;
    child.end();
    const running = new RecordedSpan(RUNTIME, "running", "agent", TRACE, parent, 2);
    const spans = [parent, child, running];
    expect(sent(spans, true)).toEqual(sent(spans, false));
  });

  it.each([0, 0.0004, 0.0005, 0.999, 0.9996, 12.3456, 999.9999, 86_400_000.001])("%s ms", (ms) => {
    const one = span();
    one.durationMs = ms;
    const later = new RecordedSpan(RUNTIME, "later", "llm", TRACE, undefined, ms);
    later.durationMs = 1;
    expect(sent([one, later], true)).toEqual(sent([one, later], false));
  });

  it("what every object of the app inherits is no attribute", () => {
    const one = span((plain) => plain.setAttribute("a", 1));
    const inherited = Object.prototype as unknown as Record<string, unknown>;
    inherited["everywhere"] = "x";
    try {
      expect(takeBatchJson(HEAD, [one], true)).not.toContain("everywhere");
    } finally {
      delete inherited["everywhere"];
    }
  });

  it("spans with and without escapes in one batch all arrive, and nobody's attributes are another's", () => {
    const spans = Array.from({ length: 50 }, (_, index) =>
      span((one) => one.setAttribute("text", index % 3 === 0 ? `line\n${index}` : `line ${index}`)),
    );
    const texts = (batch: SpanBatch) =>
      new Map(batch.spans.map(({ span_id, attributes }) => [span_id, attributes?.["text"]]));
    expect(texts(sent(spans, true))).toEqual(texts(sent(spans, false)));
  });
});

it("what a span carried is let go of once it is written", () => {
  const plain = span((one) => one.setAttribute("text", "plain"));
  const other = span((one) => one.setAttribute("text", "line\nline").addEvent("retry"));
  takeBatchJson(HEAD, [plain, other], true);
  for (const { attributes, events } of [plain, other]) {
    expect(attributes).toEqual({});
    expect(events).toBeUndefined();
  }
});
