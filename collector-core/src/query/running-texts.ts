import type { ArrivedTrace, PartialCompletion, TraceKey } from "../interfaces.js";
import { traceKeyText } from "../span/trace-key-text.js";
import { copyText } from "../span/kept-text.js";
import { RunningText } from "./running-text.js";

/** Limits of {@link RunningTexts}. */
export interface RunningTextsLimits {
  /** Running spans that are remembered. Beyond it, the spans without an update for the longest time are forgotten. */
  readonly maxSpans: number;
  /** Memory of all texts. Beyond it, the oldest texts are dropped. */
  readonly maxBytes: number;
  /** Texts of one trace. Beyond it, its oldest text is dropped. */
  readonly maxTextsPerTrace: number;
  /** A span without an update for this time is forgotten: it was abandoned. */
  readonly maxSilenceMs: number;
}

interface RunningSpan extends ArrivedTrace {
  readonly key: string;
  readonly spanId: string;
  updatedAtMs: number;
  latest: RunningText | undefined;
}

interface TraceTexts {
  /** Oldest first. */
  readonly texts: Set<RunningText>;
  /** Version of the newest text so far. */
  newest: number;
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
  /** The latest texts by trace id, of all tenants, oldest first. */
  readonly #ofTrace = new Map<string, TraceTexts>();
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
  start(trace: ArrivedTrace, spanId: string): void {
    const key = keyOf(trace, spanId);
    const known = this.#spans.get(key);
    if (known !== undefined) {
      this.#touch(known);
      return;
    }
    const { tenant, traceId, receivedAtMs } = trace;
    this.#spans.set(key, {
      key,
      tenant,
      receivedAtMs,
      traceId: copyText(traceId),
      spanId: copyText(spanId),
      updatedAtMs: this.#nowMs(),
      latest: undefined,
    });
    if (this.#spans.size > this.#limits.maxSpans) this.#removeFirst();
  }

  /** Replaces the text of a running span. */
  put(partial: PartialCompletion): void {
    const span = this.#spans.get(keyOf(partial, partial.spanId));
    if (span === undefined) return;
    this.#touch(span);
    this.#dropText(span);
    const text = new RunningText(span, partial, ++this.#version);
    span.latest = text;
    this.#bytes += text.bytes;
    this.#withText.set(span.key, span);
    let ofTrace = this.#ofTrace.get(span.traceId);
    if (ofTrace === undefined) this.#ofTrace.set(span.traceId, (ofTrace = { texts: new Set(), newest: 0 }));
    ofTrace.texts.add(text);
    ofTrace.newest = text.version;
    if (ofTrace.texts.size > this.#limits.maxTextsPerTrace) this.#dropOldest(ofTrace.texts);
    this.#keepWithinBytes();
  }

  /** The event of a text, which is redacted and encoded at the first call. */
  encode(text: RunningText): Uint8Array {
    const event = text.encode();
    if (text.isLatest && text.bytes !== event.length) {
      this.#bytes += event.length - text.bytes;
      text.bytes = event.length;
      this.#keepWithinBytes();
    }
    return event;
  }

  /** The span has ended. */
  end(trace: TraceKey, spanId: string): void {
    const span = this.#spans.get(keyOf(trace, spanId));
    if (span !== undefined) this.#remove(span);
  }

  /** Forgets the spans of deleted traces. */
  remove(isDeleted: (trace: ArrivedTrace) => boolean): void {
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

  /** The version of the newest text of a trace, of any tenant; 0 without one. */
  newestVersion(traceId: string): number {
    return this.#ofTrace.get(traceId)?.newest ?? 0;
  }

  /**
   * The texts of a trace that are newer than a version, oldest first.
   *
   * @param tenant - undefined selects every tenant.
   */
  changedSince(version: number, traceId: string, tenant: string | undefined): readonly RunningText[] {
    const changed: RunningText[] = [];
    for (const text of this.#ofTrace.get(traceId)?.texts ?? [])
      if (text.version > version && (tenant ?? text.tenant) === text.tenant) changed.push(text);
    return changed;
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

  #keepWithinBytes(): void {
    while (this.#bytes > this.#limits.maxBytes) {
      const [oldest] = this.#withText.values();
      if (oldest === undefined) return;
      this.#dropText(oldest);
    }
  }

  #dropOldest(texts: ReadonlySet<RunningText>): void {
    const [oldest] = texts;
    if (oldest === undefined) return;
    const span = this.#withText.get(keyOf(oldest, oldest.spanId));
    if (span !== undefined) this.#dropText(span);
  }

  #dropText(span: RunningSpan): void {
    const { latest } = span;
    if (latest === undefined) return;
    latest.isLatest = false;
    this.#bytes -= latest.bytes;
    span.latest = undefined;
    this.#withText.delete(span.key);
    const ofTrace = this.#ofTrace.get(span.traceId);
    ofTrace?.texts.delete(latest);
    if (ofTrace?.texts.size === 0) this.#ofTrace.delete(span.traceId);
  }
}

/** Unique: a tenant has no line break, and ids come after the length of the trace id. */
function keyOf(trace: TraceKey, spanId: string): string {
  return `${traceKeyText(trace)}\n${spanId}`;
}
