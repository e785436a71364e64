import type { TraceSummary } from "../../../src/api-schema/trace.js";
import type { TraceKey } from "../../../src/interfaces.js";
import type { BatchContext } from "../../../src/span/span-facts.js";
import { NO_USAGE } from "../../../src/store/sqlite/thread/known-usage.js";
import { readRecords } from "../../../src/store/sqlite/records/batch-record.js";
import type {
  EngineUsage,
  SpanPage,
  StorageCommands,
  StorageEngine,
} from "../../../src/store/sqlite/thread/storage-engine.js";

/** Spans of a page: few, so that a trace has several pages. */
const SPANS_PER_PAGE = 2;

interface FakeSpan {
  readonly json: Buffer;
  readonly context: BatchContext;
  readonly spanId: string;
}

const unused = (): Promise<never> => Promise.reject(new Error("The fake engine does not answer this."));

/** An engine that keeps spans in lists, for tests of what is around an engine. */
export class FakeEngine implements StorageEngine {
  readonly traces = new Map<string, FakeSpan[]>();
  readonly openReadings = new Set<number>();
  readonly openSelects = new Set<number>();
  commits = 0;
  ticks = 0;
  isClosed = false;
  pendingSpans = 0;
  extraUsage: Partial<EngineUsage> = {};
  onAppend: (records: Buffer) => void = () => undefined;
  #nextNumber = 1;
  readonly #readings = new Map<number, readonly FakeSpan[]>();
  readonly #selects = new Map<number, TraceKey[]>();

  readonly commands: StorageCommands = {
    flush: async () => this.tick(),
    summaries: async (keys) => keys.map((key) => this.#summary(key)),
    openTrace: async (key) => {
      const spans = this.traces.get(keyText(key));
      const summary = this.#summary(key);
      if (spans === undefined || summary === undefined) return undefined;
      const reading = this.#nextNumber++;
      this.#readings.set(reading, [...spans]);
      this.openReadings.add(reading);
      return { reading, summary, remains: undefined };
    },
    readPage: async (reading, order, from) => {
      const spans = this.#readings.get(reading);
      if (spans === undefined) throw new Error(`No reading ${reading}.`);
      const ordered = order === "start" ? spans.toReversed() : spans;
      const next = from + SPANS_PER_PAGE;
      return { ...pageOf(ordered.slice(from, next)), next: next < spans.length ? next : null };
    },
    closeTrace: async (reading) => {
      this.#readings.delete(reading);
      this.openReadings.delete(reading);
    },
    getSpan: async (key, spanId) => {
      const span = this.traces.get(keyText(key))?.find((one) => one.spanId === spanId);
      return span && pageOf([span]);
    },
    labelsOf: unused,
    outputPreviews: unused,
    tenantsOf: async (traceId) =>
      [...this.traces.keys()].map(keyOf).flatMap((key) => (key.traceId === traceId ? [key.tenant] : [])),
    list: unused,
    facets: unused,
    histogram: unused,
    sessions: unused,
    session: unused,
    tenantsOfSession: unused,
    groups: unused,
    openSelect: async () => {
      const select = this.#nextNumber++;
      this.#selects.set(select, [...this.traces.keys()].map(keyOf));
      this.openSelects.add(select);
      return select;
    },
    selectPage: async (select) => this.#selects.get(select)?.splice(0, 2) ?? [],
    closeSelect: async (select) => void this.openSelects.delete(select),
    remove: async (key) => this.traces.delete(keyText(key)),
    clear: async () => {
      const { size } = this.traces;
      this.traces.clear();
      return size;
    },
    evaluations: async () => [],
    putStatsSteps: async () => true,
    statsSteps: async () => [],
    info: unused,
    compact: unused,
    verify: unused,
    prune: unused,
    openBackup: unused,
    views: unused,
    readBackup: unused,
    closeBackup: unused,
  };

  append(records: Buffer): void {
    this.onAppend(records);
    for (const record of readRecords(records)) {
      for (const [index, span] of record.parse().entries()) {
        const json = record.jsonOf(index);
        if (span === null || json === undefined) continue;
        const context = record.contextOf(index);
        const key = keyText({ tenant: context.tenant, traceId: span.trace_id });
        const kept = {
          json: Buffer.from(json.bytes.subarray(json.start, json.end)),
          context,
          spanId: record.generatedSpanIdOf(index) ?? span.span_id ?? "",
        };
        this.traces.set(key, [...(this.traces.get(key) ?? []), kept]);
        this.pendingSpans++;
      }
    }
  }

  get isBusy(): boolean {
    return this.usage().pendingBytes > 0;
  }

  usage(): EngineUsage {
    const spans = [...this.traces.values()].reduce((sum, { length }) => sum + length, 0);
    const { pendingSpans } = this;
    return {
      ...NO_USAGE.total,
      traces: this.traces.size,
      spans,
      pendingSpans,
      pendingBytes: pendingSpans,
      ...this.extraUsage,
    };
  }

  tick(): void {
    this.ticks++;
    if (this.pendingSpans > 0) this.commits++;
    this.pendingSpans = 0;
  }

  async close(): Promise<void> {
    this.tick();
    this.isClosed = true;
  }

  #summary(key: TraceKey): TraceSummary | undefined {
    const spans = this.traces.get(keyText(key));
    if (spans === undefined) return undefined;
    return { trace_id: key.traceId, tenant: key.tenant, span_count: spans.length } as TraceSummary;
  }
}

function keyText({ tenant, traceId }: TraceKey): string {
  return JSON.stringify([tenant, traceId]);
}

function keyOf(text: string): TraceKey {
  const [tenant, traceId] = JSON.parse(text) as [string, string];
  return { tenant, traceId };
}

function pageOf(spans: readonly FakeSpan[]): SpanPage {
  const length = spans.reduce((sum, { json }) => sum + json.length, 0);
  const bytes = new Uint8Array(length);
  let at = 0;
  const places = spans.map(({ json }, context) => {
    bytes.set(json, at);
    const start = at;
    at += json.length;
    return { start, end: at, context, isAbandoned: false, isWrapper: false };
  });
  return { bytes: bytes.buffer, spans: places, contexts: spans.map(({ context }) => context) };
}
