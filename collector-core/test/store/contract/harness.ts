import type { Span } from "@obspan/sdk/wire";
import { afterEach, beforeEach } from "vitest";
import type { NormalizedSpan, TraceQuery, TraceSummary } from "../../../src/api-schema/trace.js";
import type { EvictionReason, TraceStore, TraceStoreUsage } from "../../../src/interfaces.js";
import { readHeld, spansOf } from "../read-trace.js";
import { FakeClock, pipelineSpans, type BatchOptions } from "../span-batches.js";

/** Options of every trace store. */
export interface ContractOptions {
  readonly maxTraces: number;
  readonly maxSpansPerTrace: number;
  readonly ttlSeconds: number;
  readonly maxBytes: number;
  /** Bytes of spans that a question about an attribute parses. */
  readonly maxReadBytes?: number;
  readonly clock: FakeClock;
}

/** A store of a test. */
export interface OpenedStore {
  readonly store: TraceStore;
  readonly clock: FakeClock;
  /** Closes the store and opens it again with what it kept. Absent if it keeps nothing. */
  readonly reopen?: () => Promise<TraceStore>;
  /** Called after the test. */
  readonly close?: () => Promise<void>;
}

/** Creates an empty store. */
export type CreateStore = (options: ContractOptions) => Promise<OpenedStore>;

/** Non-zero counts by reason. */
export type Evictions = Partial<Record<EvictionReason, number>>;

/** The store of the current test, with functions that fill it and read it. */
export interface Harness {
  readonly store: TraceStore;
  readonly clock: FakeClock;
  readonly reopen: OpenedStore["reopen"];
  /** Replaces the store by an empty one with other options. */
  open(options?: Partial<ContractOptions>): Promise<void>;
  append(spans: Span | readonly Span[], options?: BatchOptions): Promise<void>;
  /** Appends, and returns what the store evicted meanwhile. */
  evictedBy(spans: Span | readonly Span[], options?: BatchOptions): Promise<Evictions>;
  /** The usage with all appended spans. */
  usage(): Promise<TraceStoreUsage>;
  summaryOf(traceId?: string, tenant?: string): Promise<TraceSummary>;
  /** In order of start. */
  spansOf(traceId?: string, tenant?: string): Promise<NormalizedSpan[]>;
  spanOf(spanId: string, traceId?: string, tenant?: string): Promise<NormalizedSpan | undefined>;
  idsOf(query?: TraceQuery): Promise<string[]>;
}

/** Opens an empty store before each test of the surrounding `describe`, and closes all of a test after it. */
export function createHarness(createStore: CreateStore): Harness {
  const opened: OpenedStore[] = [];

  function current(): OpenedStore {
    const last = opened.at(-1);
    if (last === undefined) throw new Error("No store is open.");
    return last;
  }

  async function open(options: Partial<ContractOptions> = {}): Promise<void> {
    opened.push(
      await createStore({
        maxTraces: 100,
        maxSpansPerTrace: 500,
        ttlSeconds: 0,
        maxBytes: 2 ** 26,
        clock: opened.at(-1)?.clock ?? new FakeClock(),
        ...options,
      }),
    );
  }

  async function append(spans: Span | readonly Span[], options?: BatchOptions): Promise<void> {
    const receivedAtMs = current().clock.wallMs;
    await current().store.append(
      pipelineSpans(Array.isArray(spans) ? spans : [spans as Span], { receivedAtMs, ...options }),
    );
  }

  async function usage(): Promise<TraceStoreUsage> {
    await current().store.flush();
    return current().store.usage();
  }

  beforeEach(() => open());
  afterEach(async () => {
    for (const { close } of opened.splice(0)) await close?.();
  });

  return {
    get store() {
      return current().store;
    },
    get clock() {
      return current().clock;
    },
    get reopen() {
      return current().reopen;
    },
    open,
    append,
    usage,
    async evictedBy(spans, options) {
      const before = await usage();
      await append(spans, options);
      const after = await usage();
      const reasons = Object.keys(after.evicted) as EvictionReason[];
      const changes = reasons.map(
        (reason) => [reason, after.evicted[reason] - before.evicted[reason]] as const,
      );
      return Object.fromEntries(changes.filter(([, count]) => count > 0));
    },
    async summaryOf(traceId = "trace", tenant = "") {
      const trace = await current().store.get({ tenant, traceId });
      if (trace === undefined) throw new Error(`No trace ${traceId}.`);
      trace.release();
      return trace.summary;
    },
    async spansOf(traceId = "trace", tenant = "") {
      const trace = await current().store.get({ tenant, traceId });
      const spans = await spansOf(trace);
      trace?.release();
      return spans;
    },
    spanOf: async (spanId, traceId = "trace", tenant = "") =>
      await readHeld(await current().store.getSpan({ tenant, traceId }, spanId)),
    idsOf: async (query = {}) =>
      (await current().store.list({ limit: 1000, ...query })).traces.map((trace) => trace.trace_id),
  };
}
