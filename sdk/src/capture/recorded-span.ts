import type { Attributes, JsonValue, SpanEvent } from "../wire/index.js";
import { runInContext, type ContextNode, type TraceState } from "./context.js";
import { causesOf, describeError } from "./describe-error.js";
import { newSpanId } from "./ids.js";
import { MAX_TEXT_LENGTH, setKey, textBytes } from "./json-value.js";
import type { Runtime } from "./runtime.js";
import type { ManualSpan, SpanAttributes } from "./span-handle.js";

/** Events kept of one span (contract 1). */
const MAX_EVENTS = 128;
/** What a span may take of the body of 10 MiB that a collector reads; attributes beyond it are left out. */
const MAX_SPAN_BYTES = 4 * 1024 * 1024;
/** Texts of up to this length are taken without a look at their limits. */
const SHORT_TEXT_LENGTH = 10_000;
/** Ids, times and keys of a span in JSON. */
const FIXED_BYTES = 220;
/** Errors from inside that a span remembers: one that passes through it is among the last. */
const MAX_ERRORS = 100;
const NO_ERRORS: readonly unknown[] = [];
/** Characters kept of a name (contract 1). */
const MAX_NAME_LENGTH = 256;

/**
 * A span that is recorded. A plain class with plain fields: it is made and ended on the path of the app's own calls, and
 * another copy of this package in the same process may hold it. What is costly (JSON) waits for the exporter.
 */
export class RecordedSpan implements ManualSpan, ContextNode {
  readonly spanId: string = newSpanId();
  readonly parentSpanId: string;
  readonly trace: TraceState;
  readonly runtime: Runtime;
  name: string;
  spanType: string;
  status = "OK";
  attributes: Attributes = {};
  /** No attribute has been set. */
  isEmpty = true;
  events: SpanEvent[] | undefined;
  errorPropagated = false;
  /** An error was recorded that no span inside this one had recorded. */
  hasOwnError = false;
  /** The agent inside which the span runs; its own where it is one. */
  agent: string | undefined;
  /** Milliseconds of the monotonic clock. */
  readonly startedAtMs: number;
  /** Negative until the span has ended. */
  durationMs = -1;
  /** About what the span takes in JSON. */
  bytes = FIXED_BYTES;
  /** The exporter's: what the span takes in the buffer where it waits; negative where it does not. */
  queuedBytes = -1;
  /** It ended before the price table was loaded. */
  waitsForPrice = false;
  /** The span that this one runs in: it is told what failed inside it. Let go of where both have ended. */
  parent: RecordedSpan | undefined;
  /** What spans inside this one have failed with and have counted, causes included; the newest last. */
  errorsInside: readonly unknown[] = NO_ERRORS;
  /** Done when the span ends, before it is handed on. */
  onEnd: (() => void) | undefined;

  /**
   * @param parent - where the span starts; undefined for the first span of a trace.
   * @param startedAtMs - of the monotonic clock.
   */
  constructor(
    runtime: Runtime,
    name: string,
    spanType: string,
    trace: TraceState,
    parent: ContextNode | undefined,
    startedAtMs: number,
  ) {
    this.runtime = runtime;
    // A name that is none would have the collector refuse the whole batch.
    this.spanType = isText(spanType) ? spanType : "span";
    this.name = isText(name) ? clipName(name) : this.spanType;
    this.trace = trace;
    this.startedAtMs = startedAtMs;
    this.parentSpanId = parent === undefined ? "" : parent.spanId;
    this.parent = parent?.span;
    this.agent = this.parent?.agent;
  }

  get traceId(): string {
    return this.trace.traceId;
  }

  /** The context that the span is for what runs in it. */
  get span(): this {
    return this;
  }

  get isRecording(): boolean {
    return this.durationMs < 0;
  }

  setAttribute(key: string, value: unknown): this {
    if (this.durationMs < 0 && typeof key === "string") this.put(key, value);
    return this;
  }

  setAttributes(attributes: SpanAttributes): this {
    if (this.durationMs >= 0) return this;
    try {
      const copy: Record<string, unknown> = { ...attributes };
      // Most spans get their attributes at once. Where nothing in them needs a look they are taken as they are: one copy of a
      // known shape costs a fraction of setting key by key.
      let bytes = this.isEmpty && this.runtime.policy.isOpen ? this.bytes : Infinity;
      for (const key in copy) {
        if (bytes > MAX_SPAN_BYTES) break;
        bytes += key.length + 10 + plainBytes(copy[key]);
      }
      if (bytes <= MAX_SPAN_BYTES) {
        this.bytes = bytes;
        this.isEmpty = false;
        this.attributes = copy as Attributes;
      } else for (const key of Object.keys(copy)) this.put(key, copy[key]);
    } catch {
      // Attributes that cannot be read are no reason to disturb the app.
    }
    return this;
  }

  addEvent(name: string, attributes?: SpanAttributes): this {
    if (this.durationMs >= 0 || !isText(name) || (this.events?.length ?? 0) >= MAX_EVENTS) return this;
    const kept: Attributes = {};
    try {
      for (const key of Object.keys(attributes ?? {})) {
        const { value, bytes } = this.runtime.policy.admit(key, attributes?.[key]);
        if (value === undefined || this.bytes + bytes > MAX_SPAN_BYTES) continue;
        this.bytes += bytes + key.length;
        setKey(kept, key, value);
      }
    } catch {
      // As above.
    }
    const clipped = clipName(name);
    this.bytes += clipped.length + 60;
    (this.events ??= []).push({
      name: clipped,
      time: toEpochMs(this.trace, performance.now()),
      attributes: kept,
    });
    return this;
  }

  setStatus(status: string): this {
    if (this.durationMs < 0 && isText(status) && status !== "RUNNING") this.status = status;
    return this;
  }

  recordError(error: unknown): this {
    if (this.durationMs >= 0) return this;
    const { type, message, stack } = describeError(error);
    this.status = "ERROR";
    this.put("error_type", type);
    this.put("error_message", message);
    const thrown = [error, ...causesOf(error)];
    const isPropagated = thrown.some((cause) => this.errorsInside.includes(cause));
    if (!isPropagated) {
      // It stands where the error was thrown; the spans that it passes through would only repeat it.
      this.put("error_stack", stack);
      for (let outer = this.parent; outer !== undefined; outer = outer.parent)
        outer.errorsInside = [...outer.errorsInside.slice(-MAX_ERRORS), ...thrown];
    }
    // A failure of the span's own counts, whatever passes through it later.
    this.errorPropagated = isPropagated && !this.hasOwnError;
    this.hasOwnError ||= !isPropagated;
    return this;
  }

  run<T>(fn: () => T): T {
    return runInContext(this, fn);
  }

  end(): void {
    if (this.durationMs >= 0) return;
    this.onEnd?.();
    const { trace } = this;
    if (trace.sessionId !== undefined) this.putDefault("session_id", trace.sessionId);
    if (trace.userId !== undefined) this.putDefault("user_id", trace.userId);
    const agent = this.agent ?? trace.agent;
    if (agent !== undefined) this.putDefault("agent", agent);
    this.durationMs = performance.now() - this.startedAtMs;
    if (this.parent?.isRecording === false) this.parent = undefined;
    this.errorsInside = NO_ERRORS;
    this.onEnd = undefined;
    this.runtime.exporter.offer(this);
  }

  /** Sets an attribute that was not set before. */
  putDefault(key: string, value: unknown): void {
    if (!Object.hasOwn(this.attributes, key)) this.put(key, value);
  }

  /** Sets an attribute, as the text policy allows. */
  put(key: string, value: unknown): void {
    if (typeof value === "number" || typeof value === "boolean") {
      if (typeof value === "number" && !Number.isFinite(value)) return;
      this.keep(key, value, 8);
    } else if (typeof value === "string" && this.runtime.policy.isOpen && value.length <= MAX_TEXT_LENGTH) {
      this.keep(key, value, textBytes(value));
    } else if (value !== undefined) {
      const copy = this.runtime.policy.admit(key, value);
      if (copy.value !== undefined) this.keep(key, copy.value, copy.bytes);
    }
  }

  private keep(key: string, value: JsonValue, bytes: number): void {
    const total = this.bytes + bytes + key.length + 6;
    if (total > MAX_SPAN_BYTES) return;
    this.bytes = total;
    this.isEmpty = false;
    setKey(this.attributes, key, value);
  }
}

/** About what a value takes in JSON, or infinity where it cannot be taken as it is without a look at its limits. */
function plainBytes(value: unknown): number {
  if (typeof value === "string") return value.length <= SHORT_TEXT_LENGTH ? textBytes(value) : Infinity;
  return typeof value === "boolean" || Number.isFinite(value) ? 0 : Infinity;
}

/** A moment of the monotonic clock as Unix epoch milliseconds, to the microsecond. */
export function toEpochMs(trace: TraceState, monotonicMs: number): number {
  return Math.round((trace.clockOffsetMs + monotonicMs) * 1000) / 1000;
}

/** What the types promise, and a caller in JavaScript may not keep. */
function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** A slice refers to the whole text; a round trip through bytes does not. */
function clipName(name: string): string {
  return name.length > MAX_NAME_LENGTH ? Buffer.from(name.slice(0, MAX_NAME_LENGTH)).toString() : name;
}
