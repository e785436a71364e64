import type { Span } from "@obspan/sdk/wire";
import fc from "fast-check";
import { expect } from "vitest";
import type { StoredSession, TraceStore } from "../../src/interfaces.js";
import { withSpan, type PipelineSpan } from "../../src/span/pipeline-span.js";
import { NaiveTraceStore } from "./naive-trace-store.js";
import { spansOf } from "./read-trace.js";
import { FakeClock, pipelineSpans } from "./span-batches.js";

/** What the traces of a run are like, and the bounds of the store. */
export interface Sizes {
  readonly traceCount: number;
  readonly spanIds: number;
  readonly maxBatch: number;
  readonly maxTraces: number;
  readonly maxSpansPerTrace: number;
}

/** A store that is compared with the naive one. */
export interface ModelledStore {
  readonly store: TraceStore;
  /** The clock went on by so much. */
  passTime(ms: number): void;
  /** Stops the store and opens it again. */
  reopen?(): Promise<void>;
  /** Makes the store forget what it has in memory beside the file. */
  trim?(): Promise<void>;
  close(): Promise<void>;
}

const idsOfTraces = (count: number): fc.Arbitrary<string> =>
  fc.integer({ min: 0, max: count - 1 }).map((n) => `trace-${n}`);

/** Spans of few ids, so that they are replaced often, and of many sizes, so that segments fill and empty. */
const spansOfFewIds = (traceIds: fc.Arbitrary<string>, idCount: number): fc.Arbitrary<Span> =>
  fc
    .record({
      name: fc.string({ minLength: 1, maxLength: 20 }),
      trace_id: traceIds,
      span_id: fc.integer({ min: 0, max: idCount - 1 }).map((n) => `span-${n}`),
      status: fc.constantFrom("OK", "ERROR", "RUNNING"),
      start_time: fc.constant("2026-01-01T00:00:00Z"),
      attributes: fc.record({
        tokens_input: fc.nat(1000),
        prompt_text: fc.oneof(
          fc.string({ unit: "grapheme", maxLength: 100 }),
          fc.nat(3000).map((length) => "x".repeat(length)),
        ),
      }),
    })
    .map((span) => withSession(span));

/** About half of the spans name one of a few sessions. */
function withSession<S extends { readonly attributes: { readonly tokens_input: number } }>(span: S) {
  const { tokens_input: tokens } = span.attributes;
  const session = tokens % 7;
  const attributes = { ...span.attributes, session_id: session < 4 ? "" : `s${session}` };
  return { ...span, duration_ms: tokens % 6, attributes };
}

const stepsOf = ({ traceCount, spanIds, maxBatch }: Sizes, isDurable: boolean) => {
  const traceIds = idsOfTraces(traceCount);
  const spans = spansOfFewIds(traceIds, spanIds);
  return fc.oneof(
    { weight: 12, arbitrary: fc.record({ append: fc.array(spans, { minLength: 1, maxLength: maxBatch }) }) },
    { weight: 2, arbitrary: fc.record({ remove: traceIds }) },
    { weight: 2, arbitrary: fc.record({ advanceMs: fc.constantFrom(1, 60, 20_000, 60_000) }) },
    { weight: 1, arbitrary: fc.record({ clear: fc.constant(true) }) },
    { weight: isDurable ? 3 : 0, arbitrary: fc.record({ reopen: fc.constant(true) }) },
    { weight: isDurable ? 3 : 0, arbitrary: fc.record({ trim: fc.constant(true) }) },
  );
};

/** Changes about a tenth of the spans, as a stage of the pipeline does. */
function changeShort(span: PipelineSpan): PipelineSpan {
  const text = span.span.attributes?.["prompt_text"];
  if (typeof text !== "string" || text.length % 10 !== 0) return span;
  const attributes = { ...span.span.attributes, prompt_text: `[${"é".repeat(text.length % 70)}]` };
  return withSpan(span, { ...span.span, attributes });
}

/** Takes random steps with a store and with a naive one, and compares what they have after each. */
export async function checkAgainstModel(
  sizes: Sizes,
  options: {
    readonly open: (clock: FakeClock) => Promise<ModelledStore>;
    readonly ttlSeconds: number;
    readonly numRuns: number;
  },
): Promise<void> {
  const { open, ttlSeconds, numRuns } = options;
  const probe = await open(new FakeClock());
  const isDurable = probe.reopen !== undefined;
  await probe.close();
  const steps = fc.array(stepsOf(sizes, isDurable), { minLength: 20, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const clock = new FakeClock();
      const naive = new NaiveTraceStore(sizes.maxTraces, sizes.maxSpansPerTrace, ttlSeconds * 1000);
      const modelled = await open(clock);
      try {
        await modelled.store.start();
        for (const [at, step] of sequence.entries()) {
          const { store } = modelled;
          if ("append" in step) {
            const redacted = pipelineSpans(step.append).map(changeShort);
            await store.append(redacted);
            for (const { span } of redacted) naive.append(span, clock.monotonic());
          } else if ("remove" in step) {
            naive.expire(clock.monotonic());
            const isRemoved = await store.remove({ tenant: "", traceId: step.remove });
            expect(isRemoved).toBe(naive.remove(step.remove));
          } else if ("advanceMs" in step) {
            clock.advance(step.advanceMs);
            modelled.passTime(step.advanceMs);
            naive.expire(clock.monotonic());
          } else if ("clear" in step) {
            await store.clear();
            naive.clear();
          } else if ("reopen" in step) {
            await modelled.reopen?.();
          } else {
            await modelled.trim?.();
          }
          await expectSameLists(modelled.store, naive);
          if (at % 8 === 0) await expectSameSessions(modelled.store, naive);
        }
        await expectSameSpans(modelled.store, naive);
        await modelled.store.flush();
        const spans = naive.traces.reduce((sum, trace) => sum + trace.spans.length, 0);
        expect(modelled.store.usage()).toMatchObject({ spans, traces: naive.traces.length, state: "ok" });
      } finally {
        await modelled.close();
      }
    }),
    { seed: 20260101, numRuns },
  );
}

async function expectSameLists(store: TraceStore, naive: NaiveTraceStore): Promise<void> {
  const { traces } = await store.list({ limit: 1000 });
  expect(traces).toMatchObject(naive.summaries());
  // A summary is read from the spans each time; what traces are filtered and counted by is kept.
  for (const status of ["OK", "ERROR", "RUNNING"]) {
    const expected = traces.filter((trace) => trace.status === status);
    expect((await store.list({ status, limit: 1000 })).traces).toEqual(expected);
    expect((await store.facets({ status })).total).toBe(expected.length);
  }
}

async function expectSameSessions(store: TraceStore, naive: NaiveTraceStore): Promise<void> {
  for (const order of ["newest", "slowest"] as const) {
    const { sessions } = await store.sessions({ order, limit: 1000 });
    const expected = naive.sessions(order);
    expect(sessions).toHaveLength(expected.length);
    expect(sessions).toMatchObject(expected);
    const paged: StoredSession[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await store.sessions({ order, limit: 2, ...(cursor !== undefined && { cursor }) });
      paged.push(...page.sessions);
      cursor = page.nextCursor;
    }
    expect(paged).toEqual(sessions);
  }
  const { traces } = await store.list({ limit: 1000, status: "ERROR" });
  const failed = new Set(traces.map(({ session_id: id }) => id));
  const { sessions } = await store.sessions({ limit: 1000, status: "ERROR" });
  expect(new Set(sessions.map(({ session_id: id }) => id))).toEqual(new Set([...failed].filter(Boolean)));
}

async function expectSameSpans(store: TraceStore, naive: NaiveTraceStore): Promise<void> {
  for (const trace of naive.traces) {
    const stored = await store.get({ tenant: "", traceId: trace.id });
    // Equal starts: the order is that of arrival.
    expect(await spansOf(stored)).toMatchObject(
      trace.spans.map(({ span_id, name, status, attributes }) => ({ span_id, name, status, attributes })),
    );
    stored?.release();
  }
}
