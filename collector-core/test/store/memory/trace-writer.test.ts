import { describe, expect, it } from "vitest";
import { SpanCaps } from "../../../src/store/memory/span-caps.js";
import { SpanStore } from "../../../src/store/memory/span-store.js";
import { TraceWriter } from "../../../src/store/memory/trace-writer.js";
import { TraceRegistry } from "../../../src/store/traces/trace-registry.js";
import { aSpan, anEvaluation, FakeClock, pipelineSpans } from "../span-batches.js";

/** A writer to traces of which some have to be loaded first, as in a store on disk. */
function writerOf({ evicted = false, maxSpansPerTrace = 100 } = {}) {
  const registry = new TraceRegistry();
  const spans = new SpanStore(4096, { take: () => undefined, release: () => undefined });
  const caps = new SpanCaps({ spans, traces: registry, maxSpansPerTrace });
  const calls: string[] = [];
  const written: { traceId: string; row: number; index: number }[] = [];
  const writer = new TraceWriter({
    spans,
    caps,
    clock: new FakeClock(),
    traces: {
      find: (key, hash) => registry.get(key, hash),
      wasEvicted: () => evicted,
      create: (key, hash, isPartial, nowMs) => registry.create(key, hash, isPartial, nowMs),
      added(trace) {
        calls.push(`added ${trace.traceId}`);
        registry.add(trace);
      },
      charge: (bytes) => registry.charge(bytes),
      changed: (trace, nowMs) => registry.touch(trace, nowMs),
      namedSession: () => undefined,
    },
    room: {
      makeRoomForTrace: () => void calls.push("room for a trace"),
      makeRoomForBytes: () => void calls.push("room for bytes"),
    },
    beforeBatch(_spans, from, to) {
      expect(spans.isInBatch).toBe(false);
      calls.push(`batch ${from} to ${to}`);
    },
    onWritten({ traceId }, row, index) {
      spans.setPlaceInFile(row, 7, index);
      written.push({ traceId, row, index });
    },
  });
  return { writer, spans, caps, registry, calls, written };
}

describe("the writer of traces", () => {
  it("announces each batch before its spans, and makes room after it", () => {
    const { writer, calls } = writerOf();
    const first = pipelineSpans([aSpan({ trace_id: "a" }), aSpan({ trace_id: "a" })]);
    const second = pipelineSpans([aSpan({ trace_id: "b" })]);
    writer.write([...first, ...second], {});
    expect(calls).toEqual([
      "batch 0 to 2",
      "room for a trace",
      "added a",
      "room for bytes",
      "batch 2 to 3",
      "room for a trace",
      "added b",
      "room for bytes",
    ]);
  });

  it("tells the row of each written span and its index in the call", () => {
    const { writer, spans, written } = writerOf();
    writer.write(pipelineSpans([aSpan({ span_id: "x" }), aSpan(), aSpan()]), {});
    expect(written.map(({ index }) => index)).toEqual([0, 1, 2]);
    const [, second] = written;
    expect(second && [spans.chunkOf(second.row), spans.ordinalOf(second.row)]).toEqual([7, 1]);

    writer.write(pipelineSpans([aSpan(), aSpan({ span_id: "x" })]), {});
    expect(written[4]).toEqual({ traceId: "trace", row: written[0]?.row, index: 1 });
  });

  it("does not tell of spans that it leaves out", () => {
    const ended = writerOf();
    ended.writer.write(pipelineSpans([aSpan({ span_id: "x", status: "OK" })]), {});
    ended.writer.write(pipelineSpans([aSpan({ span_id: "x", status: "RUNNING" })]), {});
    expect(ended.written).toHaveLength(1);

    const late = writerOf({ evicted: true });
    late.writer.write(pipelineSpans([anEvaluation("tone", 1)]), {});
    expect(late.written).toEqual([]);
    expect(late.writer.lateEvaluations).toBe(1);
  });

  it("applies caps that count what they drop", () => {
    const { writer, caps, registry, spans } = writerOf({ maxSpansPerTrace: 2 });
    writer.write(pipelineSpans([aSpan(), aSpan(), aSpan()]), {});
    expect(caps.dropped).toBe(1);
    expect(spans.count).toBe(2);
    expect(registry.get({ tenant: "", traceId: "trace" })?.dropped?.count).toBe(1);
  });
});
