import type { Span } from "@obspan/sdk/wire";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPipelineSpan, withSpan, type PipelineSpan } from "../../../src/span/pipeline-span.js";
import { readSpanFacts, type BatchContext } from "../../../src/span/span-facts.js";
import { readRecords, RecordError } from "../../../src/store/sqlite/records/batch-record.js";
import { removeSpans } from "../../../src/store/sqlite/records/remove-spans.js";
import { RecordWriter, type RecordSink } from "../../../src/store/sqlite/records/write-records.js";
import { aSpan, fromBody, pipelineSpans } from "../span-batches.js";
import { randomRuns } from "../../random-runs.js";

/** A span as it is read from a record. */
interface ReadSpan {
  readonly span: Span | null;
  readonly context: BatchContext;
  readonly generatedSpanId: string | undefined;
  readonly countsUsage: boolean;
  readonly isImport: boolean;
}

/** Grows: a test sees all that was written. */
class GrowingSink implements RecordSink {
  buffer = Buffer.alloc(0);
  records = 0;
  spans = 0;

  reserve(bytes: number, spans: number): number {
    const offset = this.buffer.length;
    // Filled, so that a byte that was not written shows.
    this.buffer = Buffer.concat([this.buffer, Buffer.alloc(bytes, 0xee)]);
    this.records++;
    this.spans += spans;
    return offset;
  }
}

function written(spans: readonly PipelineSpan[], isImport = false): GrowingSink {
  const sink = new GrowingSink();
  new RecordWriter().write(spans, { isImport }, sink);
  return sink;
}

function read(bytes: Buffer): ReadSpan[] {
  return [...readRecords(bytes)].flatMap((record) =>
    record.parse().map((span, index) => ({
      span,
      context: record.contextOf(index),
      generatedSpanId: record.generatedSpanIdOf(index),
      countsUsage: record.countsUsage(index),
      isImport: record.isImport,
    })),
  );
}

/** The JSON of each span, cut out of the bytes. */
function sliced(bytes: Buffer): unknown[] {
  return [...readRecords(bytes)].flatMap((record) =>
    Array.from({ length: record.spanCount }, (_, index): unknown => {
      const json = record.jsonOf(index);
      return json === undefined ? null : JSON.parse(json.bytes.toString("utf8", json.start, json.end));
    }),
  );
}

function expected(spans: readonly PipelineSpan[], isImport = false): ReadSpan[] {
  return spans.map(({ span, context, countsUsage, facts }) => ({
    span: JSON.parse(JSON.stringify(span)) as Span,
    context,
    generatedSpanId: facts.spanId === (span.span_id ?? "") ? undefined : facts.spanId,
    countsUsage,
    isImport,
  }));
}

function expectRoundTrip(spans: readonly PipelineSpan[], isImport = false): GrowingSink {
  const sink = written(spans, isImport);
  const wanted = expected(spans, isImport);
  expect(read(sink.buffer)).toEqual(wanted);
  expect(sliced(sink.buffer)).toEqual(wanted.map(({ span }) => span));
  expect(sink.spans).toBe(spans.length);
  return sink;
}

const CONTEXT: BatchContext = {
  tenant: "",
  service: "shop",
  env: "production",
  version: undefined,
  receivedAtMs: 1_700_000_000_000.5,
};

/** Spans of a batch with several contexts, as OTLP requests have. */
function withContexts(spans: readonly Span[], contexts: readonly BatchContext[]): PipelineSpan[] {
  const batch = { body: Buffer.from(JSON.stringify({ spans })), spanCount: spans.length };
  return spans.map((span, index) => {
    const context = contexts[index % contexts.length] ?? CONTEXT;
    const facts = readSpanFacts(span, context, undefined, () => undefined);
    return createPipelineSpan(
      { span, facts, context, batch, index },
      { isSampled: () => true, countsUsage: () => index % 3 > 0 },
    );
  });
}

function redacted(pipelineSpan: PipelineSpan, text = "[REDACTED]"): PipelineSpan {
  const { span } = pipelineSpan;
  return withSpan(pipelineSpan, { ...span, attributes: { ...span.attributes, prompt_text: text } });
}

describe("a record", () => {
  it("keeps the received bytes of a batch that came whole", () => {
    const body = Buffer.from(
      '{ "service": "shop", "spans": [ {"name":"a","trace_id":"t","span_id":"1","duration_ms":1.50e1} ,\n{"name":"b","trace_id":"t","span_id":"2"}] }',
    );
    const sink = expectRoundTrip(fromBody(body));
    expect(sink.buffer.includes(body)).toBe(true);
    expect(sink.records).toBe(1);
  });

  it("says that spans are imported", () => {
    expectRoundTrip(pipelineSpans([aSpan(), aSpan()]), true);
  });

  it("keeps generated ids beside the bytes, also of spans that came with an unusable one", () => {
    const unusable = { name: "two", trace_id: "trace", span_id: 7 } as unknown as Span;
    const spans = [{ name: "one", trace_id: "trace" }, unusable, aSpan()];
    expectRoundTrip(pipelineSpans(spans, { generatedSpanIds: ["made-1", "made-2", undefined] }));
  });

  it("keeps which spans are wrappers", () => {
    expectRoundTrip([
      ...pipelineSpans([aSpan(), aSpan()], { countsUsage: false }),
      ...pipelineSpans([aSpan()]),
    ]);
    expectRoundTrip(
      withContexts(
        Array.from({ length: 20 }, () => aSpan()),
        [CONTEXT],
      ),
    );
  });

  it("keeps the contexts of the parts of a batch, with tenant, version and time", () => {
    const contexts = ["a", "b", "\ud800 lone"].map((service, index) => ({
      ...CONTEXT,
      service,
      tenant: `tenant ${index}`,
      version: index === 1 ? "1.2" : undefined,
      receivedAtMs: index,
    }));
    expectRoundTrip(
      withContexts(
        Array.from({ length: 10 }, () => aSpan()),
        contexts,
      ),
    );
  });

  it("has the changes of stages and not the text from before", () => {
    const spans = pipelineSpans(
      Array.from({ length: 5 }, () => aSpan({ attributes: { prompt_text: "secret é", other: 1 } })),
    ).map((span) => redacted(span, "[REDACTED] ü\n"));
    expect(expectRoundTrip(spans).buffer.includes("secret")).toBe(false);
    expect(expectRoundTrip(spans.slice(1)).buffer.includes("secret")).toBe(false);
  });

  it("has no byte of the spans that are not stored", () => {
    const spans = pipelineSpans(
      Array.from({ length: 6 }, (_, index) => aSpan({ name: index % 3 === 1 ? "dropped" : "kept" })),
    );
    const sink = expectRoundTrip(spans.filter(({ facts }) => facts.name === "kept"));
    expect(sink.buffer.includes("dropped")).toBe(false);
    expect(sink.records).toBe(1);
  });

  it("keeps spans that the collector created, with the labels that they were given", () => {
    const [source] = pipelineSpans([aSpan({ span_type: "evaluation" })], { withoutJson: true });
    if (source === undefined) throw new Error("No span.");
    const labelled = { ...source, facts: { ...source.facts, model: "judged", agent: "a" } };
    const sink = expectRoundTrip([labelled, ...pipelineSpans([aSpan(), aSpan()])]);
    const [first, second] = readRecords(sink.buffer);
    expect(first?.labelsOf(0)).toEqual({ model: "judged", agent: "a" });
    expect(second?.labelsOf(0)).toBeUndefined();
  });

  it("tells spans apart where the keys of a batch are repeated or escaped", () => {
    for (const body of [
      '{"spans":[{"name":"no","trace_id":"t","span_id":"0"}],"spans":[{"name":"a","trace_id":"t","span_id":"1"},{"name":"b","trace_id":"t","span_id":"2"}]}',
      '{"\\u0073pans":[{"name":"a","trace_id":"t","span_id":"1"},{"name":"b","trace_id":"t","span_id":"2"}]}',
      '{"spans":[{"name":"a","trace_id":"t","span_id":"1","attributes":{"x":1,"x":2}},{"name":"b","name":"c","trace_id":"t","span_id":"2"}]}',
    ]) {
      const spans = fromBody(Buffer.from(body));
      expectRoundTrip(spans);
      expectRoundTrip(spans.slice(1));
      expectRoundTrip(spans.map((span) => redacted(span)));
    }
  });

  it("keeps lone surrogates, as they were escaped", () => {
    const body =
      '{"spans":[{"name":"\\ud800","trace_id":"t","span_id":"1","attributes":{"\\udfff":"a\\ud83d"}}]}';
    const spans = fromBody(Buffer.from(body));
    expectRoundTrip(spans);
    expectRoundTrip(spans.map((span) => redacted(span, "\udc00")));
    expectRoundTrip(fromBody(Buffer.from(body), { withoutJson: true }));
  });

  it("keeps a span of ten megabytes in a record of its own", () => {
    const large = aSpan({ attributes: { prompt_text: "0123456789ü".repeat(2 ** 20) } });
    const sink = written(pipelineSpans([aSpan(), large, aSpan()]));
    const records = [...readRecords(sink.buffer)];
    expect(records.map(({ spanCount }) => spanCount)).toEqual([1, 1, 1]);
    expect(records[1]?.parse()[0]).toEqual(large);
    expect(records.every((record) => record.jsonOf(0)?.bytes === sink.buffer)).toBe(true);
  });

  it("keeps what a file tells of a trace with its first span, until that is removed", () => {
    const remains = { partial: true, user_id: "ada" } as const;
    const spans = pipelineSpans([
      aSpan({ trace_id: "a" }),
      aSpan({ trace_id: "b" }),
      aSpan({ trace_id: "b" }),
    ]);
    const restored = [{ tenant: spans[0]?.context.tenant ?? "", traceId: "b", remains }];
    const sink = new GrowingSink();
    new RecordWriter().write(spans, { isImport: true, restored }, sink);
    const remainsIn = (bytes: Buffer): unknown[] =>
      [...readRecords(bytes)].flatMap((record) =>
        Array.from({ length: record.spanCount }, (_, index) => record.remainsOf(index)),
      );
    expect(remainsIn(sink.buffer)).toEqual([undefined, remains, undefined]);
    expect(read(sink.buffer).map(({ span }) => span?.trace_id)).toEqual(["a", "b", "b"]);
    expect(remainsIn(removeSpans(sink.buffer, new Set([0])))).toEqual([undefined, remains, undefined]);
    const removed = removeSpans(sink.buffer, new Set([1, 2]));
    expect(remainsIn(removed)).toEqual([undefined, undefined, undefined]);
    expect(removed.includes("ada")).toBe(false);
  });

  it("divides a batch of 120,000 spans, in linear time", () => {
    const count = 120_000;
    const spans = Array.from({ length: count }, (_, index) => `{"name":"n","trace_id":"t${index % 7}"}`);
    const generatedSpanIds = Array.from({ length: count }, (_, index) => `id-${index}`);
    const body = Buffer.from(`{"spans":[${spans.join(",")}]}`);
    const sink = new TallyingSink();
    new RecordWriter().write(fromBody(body, { generatedSpanIds }), {}, sink);
    const bytes = Buffer.concat(sink.buffers);
    let index = 0;
    for (const record of readRecords(bytes)) {
      expect(record.end - record.start).toBeLessThan(200_000);
      const parsed = record.parse();
      for (let at = 0; at < record.spanCount; at++, index++) {
        if (record.generatedSpanIdOf(at) !== `id-${index}`) throw new Error(`Span ${index} has another id.`);
        if (parsed[at]?.trace_id !== `t${index % 7}`) throw new Error(`Span ${index} is another one.`);
      }
    }
    expect(index).toBe(count);
  });

  it("does not refer to the body after it was written", () => {
    const body = Buffer.from(JSON.stringify({ spans: [aSpan({ name: "kept" })] }));
    const sink = written(fromBody(body));
    body.fill(0);
    expect(read(sink.buffer)[0]?.span?.name).toBe("kept");
  });

  it("round trip of any batch in any state", () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.constant('"\\/\b\f\n\r\t\u0000'));
    const span = fc.record({
      name: text.map((value) => `n${value}`),
      attributes: fc.dictionary(
        text,
        fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.array(text)),
      ),
    });
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            spans: fc.array(fc.tuple(span, fc.constantFrom("keep", "drop", "redact", "id")), {
              minLength: 1,
              maxLength: 12,
            }),
            tenant: text,
            withoutJson: fc.boolean(),
            countsUsage: fc.boolean(),
          }),
          { maxLength: 5 },
        ),
        fc.boolean(),
        (batches, isImport) => {
          const spans = batches.flatMap(({ spans: given, ...options }) => {
            const all = pipelineSpans(
              given.map(([fields, fate]) => ({
                ...aSpan(fields),
                ...(fate === "id" ? { span_id: 7 as never } : {}),
              })),
              {
                ...options,
                generatedSpanIds: given.map(([, fate], n) => (fate === "id" ? `g${n}` : undefined)),
              },
            );
            return all
              .map((one, index) => (given[index]?.[1] === "redact" ? redacted(one) : one))
              .filter((_, index) => given[index]?.[1] !== "drop");
          });
          expectRoundTrip(spans, isImport);
        },
      ),
      { numRuns: randomRuns(40) },
    );
  });
});

/** Keeps each record by itself. */
class TallyingSink implements RecordSink {
  buffer = Buffer.alloc(0);
  readonly buffers: Buffer[] = [];

  reserve(bytes: number): number {
    this.buffer = Buffer.alloc(bytes);
    this.buffers.push(this.buffer);
    return 0;
  }
}

describe("removeSpans", () => {
  it("keeps the other spans and their ordinals, and nothing of the removed ones", () => {
    const spans = [
      ...pipelineSpans([aSpan({ name: "first" }), aSpan({ name: "gone" })], { tenant: "a" }),
      ...pipelineSpans([aSpan({ name: "all gone" })], { tenant: "hidden", withoutJson: true }),
      ...pipelineSpans([{ name: "last", trace_id: "t" }], { generatedSpanIds: ["made"], countsUsage: false }),
    ];
    const before = read(written(spans).buffer);
    const once = removeSpans(written(spans).buffer, new Set([1]));
    const twice = removeSpans(once, new Set([2]));
    expect(twice.includes("gone")).toBe(false);
    expect(twice.includes("hidden")).toBe(false);
    expect(sliced(twice)).toEqual(
      before.map(({ span }, index) => (index === 1 || index === 2 ? null : span)),
    );
    expect(read(twice)[3]).toEqual(before[3]);
    expect(read(twice)[0]).toEqual(before[0]);
    const omitted = [...readRecords(twice)].flatMap((record) =>
      Array.from({ length: record.spanCount }, (_, index) => record.isOmitted(index)),
    );
    expect(omitted).toEqual([false, true, true, false]);
  });

  it("removes what a batch says beside its spans, and spans that are ambiguous", () => {
    const body =
      '{"note":"secret","spans":[{"name":"old","trace_id":"t"}],"spans":[{"name":"a","trace_id":"t","span_id":"1"},{"name":"b","trace_id":"t","span_id":"2"}]}';
    const left = removeSpans(written(fromBody(Buffer.from(body))).buffer, new Set([0]));
    expect(left.includes("secret")).toBe(false);
    expect(left.includes("old")).toBe(false);
    expect(sliced(left)).toEqual([null, { name: "b", trace_id: "t", span_id: "2" }]);
  });
});

describe("readRecords", () => {
  it("refuses bytes that are no records, whichever byte is wrong", () => {
    const good = written(pipelineSpans([aSpan(), aSpan()], { countsUsage: false })).buffer;
    for (let cut = 1; cut < good.length; cut++)
      expect(() => [...readRecords(good.subarray(0, cut))]).toThrow(RecordError);
    const other = Buffer.from(good);
    other[4] = 99;
    expect(() => [...readRecords(other)]).toThrow("format 99");
  });
});
