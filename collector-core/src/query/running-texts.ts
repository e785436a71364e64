import type { PartialCompletion, TraceKey } from "../interfaces.js";
import { traceKeyText } from "../span/trace-key-text.js";
import { copyText } from "../span/kept-text.js";

/** Limits of {@link RunningTexts}. */
export interface RunningTextsLimits {
  /** Running spans that are remembered. Beyond it, the spans without an update for the longest time are forgotten. */
  readonly maxSpans: number;
  /** Memory of all texts. Beyond it, the oldest texts are dropped. */
  readonly maxBytes: number;
  /** A span without an update for this time is forgotten: it was abandoned. */
  readonly maxSilenceMs: number;
}

/** The latest text of a running span. */
export interface RunningText extends TraceKey {
  readonly spanId: string;
  readonly bytes: number;
  /** Redacted; empty if nothing can be shown. */
  readonly text: () => string;
  /** Increases with every text of any span. */
  readonly version: number;
}

interface RunningSpan extends TraceKey {
  readonly key: string;
  readonly spanId: string;
  updatedAtMs: number;
  latest: RunningText | undefined;
}

/**
 * The running spans, with the latest text of each. A text of a span that has not started, or has ended, is dropped: texts
 * come over another connection than starts and ends, and may arrive late.
 */
export class RunningTexts {
  /** By key, the span with the oldest update first. */
  readonly #spans = new Map<string, RunningSpan>();
  /** The spans that have a text, oldest text first. */
  readonly #withText = new Map<string, RunningSpan>();
  /** The spans of {@link #withText} by trace id, of all tenants. */
  readonly #ofTrace = new Map<string, Set<RunningSpan>>();
  #bytes = 0;
  #version = 0;
  readonly #limits: RunningTextsLimits;
  readonly #nowMs: () => number;

  /** @param nowMs - monotonic time. */
  constructor(limits: RunningTextsLimits, nowMs: () => number) {
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  /** The number of running spans. */
  get size(): number {
    return this.#spans.size;
  }

  /** Memory of the texts. */
  get bytes(): number {
    return this.#bytes;
  }

  /** A running span was received. */
  start(trace: TraceKey, spanId: string): void {
    const key = keyOf(trace, spanId);
    const known = this.#spans.get(key);
    if (known !== undefined) {
      this.#touch(known);
      return;
    }
    const { tenant, traceId } = trace;
    this.#spans.set(key, {
      key,
      tenant,
      traceId: copyText(traceId),
      spanId: copyText(spanId),
      updatedAtMs: this.#nowMs(),
      latest: undefined,
    });
    if (this.#spans.size > this.#limits.maxSpans) this.#removeFirst();
  }

  /** Replaces the text of a running span. */
  put({ bytes, text, ...partial }: PartialCompletion): void {
    const span = this.#spans.get(keyOf(partial, partial.spanId));
    if (span === undefined) return;
    this.#touch(span);
    this.#dropText(span);
    const { tenant, traceId, spanId } = span;
    span.latest = { tenant, traceId, spanId, text, bytes, version: ++this.#version };
    this.#bytes += bytes;
    this.#withText.set(span.key, span);
    const ofTrace = this.#ofTrace.get(traceId);
    if (ofTrace === undefined) this.#ofTrace.set(traceId, new Set([span]));
    else ofTrace.add(span);
    while (this.#bytes > this.#limits.maxBytes) {
      const [oldest] = this.#withText.values();
      if (oldest === undefined) return;
      this.#dropText(oldest);
    }
  }

  /** The span has ended. */
  end(trace: TraceKey, spanId: string): void {
    const span = this.#spans.get(keyOf(trace, spanId));
    if (span !== undefined) this.#remove(span);
  }

  /** Forgets the spans of deleted traces. */
  remove(isDeleted: (key: TraceKey) => boolean): void {
    for (const span of this.#spans.values()) if (isDeleted(span)) this.#remove(span);
  }

  /** Forgets abandoned spans. */
  expire(): void {
    const beforeMs = this.#nowMs() - this.#limits.maxSilenceMs;
    for (const span of this.#spans.values()) {
      if (span.updatedAtMs >= beforeMs) return;
      this.#remove(span);
    }
  }

  /**
   * The texts of a trace that are newer than a version, oldest first.
   *
   * @param tenant - undefined selects every tenant.
   */
  changedSince(version: number, traceId: string, tenant: string | undefined): readonly RunningText[] {
    const changed: RunningText[] = [];
    for (const { latest } of this.#ofTrace.get(traceId) ?? [])
      if (latest !== undefined && latest.version > version && (tenant ?? latest.tenant) === latest.tenant)
        changed.push(latest);
    return changed.sort((left, right) => left.version - right.version);
  }

  #touch(span: RunningSpan): void {
    span.updatedAtMs = this.#nowMs();
    this.#spans.delete(span.key);
    this.#spans.set(span.key, span);
  }

  #removeFirst(): void {
    const [first] = this.#spans.values();
    if (first !== undefined) this.#remove(first);
  }

  #remove(span: RunningSpan): void {
    this.#dropText(span);
    this.#spans.delete(span.key);
  }

  #dropText(span: RunningSpan): void {
    if (span.latest === undefined) return;
    this.#bytes -= span.latest.bytes;
    span.latest = undefined;
    this.#withText.delete(span.key);
    const ofTrace = this.#ofTrace.get(span.traceId);
    ofTrace?.delete(span);
    if (ofTrace?.size === 0) this.#ofTrace.delete(span.traceId);
  }
}

/** Unique: a tenant has no line break, and ids come after the length of the trace id. */
function keyOf(trace: TraceKey, spanId: string): string {
  return `${traceKeyText(trace)}\n${spanId}`;
}
