import type { Config } from "../config/options.js";
import { lateCode, withLateCode } from "../late-code.js";
import { copyText } from "../platform/text-bytes.js";
import type { Attributes, JsonValue, SpanEvent } from "../wire/index.js";
import { runInContext, type ContextNode, type ParentSpan, type TraceState } from "./context.js";
import { causesOf } from "./error-causes.js";
import type { ErrorDescription } from "./describe-error.js";
import { newSpanId } from "./ids.js";
import { copyValue, MAX_TEXT_LENGTH, setKey, textBytes } from "./json-value.js";
import type { ManualSpan, SpanAttributes } from "./span-handle.js";
import type { TextPolicy } from "./text-policy.js";

/** Most events of one span (contract 1). */
const MAX_EVENTS = 128;
/** Most bytes of one span: a collector reads bodies of 10 MiB. Attributes beyond this limit are left out. */
const MAX_SPAN_BYTES = 4 * 1024 * 1024;
/** A text up to this length is below every limit, whatever the other attributes are. */
const SHORT_TEXT_LENGTH = 10_000;
/** Bytes of the ids, times and keys of a span in JSON. */
const FIXED_BYTES = 220;
/** Most errors that a span remembers from spans inside it. An error that passes through it is among the newest. */
const MAX_ERRORS = 100;
const NO_ERRORS: readonly unknown[] = [];
/** Longest name, in UTF-16 units (contract 1). */
const MAX_NAME_LENGTH = 256;

/** Takes the spans of a process. */
export interface SpanSink {
  /** Takes a span that has ended, or with `live` a span that has started. */
  offer(span: RecordedSpan): void;
}

/** What a span needs to record. */
export interface SpanRecorder {
  readonly config: Config;
  readonly policy: TextPolicy;
  readonly exporter: SpanSink;
}

/**
 * A span that is recorded. The app's own calls create and end it, so it has plain fields and leaves expensive work (JSON)
 * to the exporter. Another copy of this package in the same process may hold it.
 */
export class RecordedSpan implements ManualSpan, ParentSpan, ContextNode {
  /** The latest one that was sent. Without any span, each garbage collection discards the code that is compiled for spans. */
  static latest: RecordedSpan | undefined;

  readonly spanId: string = newSpanId();
  readonly parentSpanId: string;
  readonly trace: TraceState;
  /** The prompt that the span runs inside. */
  readonly prompt: SpanAttributes | undefined;
  readonly runtime: SpanRecorder;
  name: string;
  spanType: string;
  status = "OK";
  attributes: Attributes = {};
  events: SpanEvent[] | undefined;
  errorPropagated = false;
  /** True once an error was recorded that no span inside this one had recorded. */
  hasOwnError = false;
  /** The agent that the span runs inside, or is. */
  agent: string | undefined;
  /** Milliseconds of the monotonic clock. */
  readonly startedAtMs: number;
  /** Negative until the span ends. */
  durationMs = -1;
  /** Estimated size of the span in JSON. */
  bytes = FIXED_BYTES;
  /** The span that this one runs in. Released once both have ended. */
  parent: ParentSpan | undefined;
  errorsInside: readonly unknown[] = NO_ERRORS;
  /** Runs when the span ends, before the exporter gets it. */
  onEnd: (() => void) | undefined;

  /**
   * @param parent - where the span starts; undefined for the first span of a trace.
   * @param startedAtMs - of the monotonic clock.
   */
  constructor(
    runtime: SpanRecorder,
    name: string,
    spanType: string,
    trace: TraceState,
    parent: ContextNode | undefined,
    startedAtMs: number,
  ) {
    this.runtime = runtime;
    // The collector would refuse the whole batch if a name were missing.
    this.spanType = isText(spanType) ? spanType : "span";
    this.name = isText(name) ? clipName(name) : this.spanType;
    this.trace = trace;
    this.startedAtMs = startedAtMs;
    this.parentSpanId = parent === undefined ? "" : parent.spanId;
    this.parent = parent?.span;
    this.prompt = parent?.prompt;
    this.agent = this.parent?.agent;
  }

  get traceId(): string {
    return this.trace.traceId;
  }

  /** The span is its own context node: it is the parent of what runs in it. */
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
      // Most spans get all their attributes in one call. If none of them needs a check, the copy is used as it is: one copy
      // of a known shape costs a fraction of setting key by key.
      let bytes = this.bytes === FIXED_BYTES && this.runtime.policy.allowsAll ? FIXED_BYTES : Infinity;
      for (const key in copy) {
        if (bytes > MAX_SPAN_BYTES) break;
        bytes += key.length + 10 + plainBytes(copy[key]);
      }
      if (bytes <= MAX_SPAN_BYTES) {
        this.bytes = bytes;
        this.attributes = copy as Attributes;
      } else for (const key in copy) this.put(key, copy[key]);
    } catch {
      // Attributes that cannot be read must not disturb the app.
    }
    return this;
  }

  addEvent(name: string, attributes?: SpanAttributes): this {
    if (this.durationMs >= 0 || !isText(name) || (this.events?.length ?? 0) >= MAX_EVENTS) return this;
    const kept: Attributes = {};
    try {
      for (const key of Object.keys(attributes ?? {})) {
        const { value, bytes } = this.runtime.policy.apply(key, attributes?.[key]);
        if (value === undefined || this.bytes + bytes > MAX_SPAN_BYTES) continue;
        this.bytes += bytes + key.length;
        setKey(kept, key, value);
      }
    } catch {
      // Attributes that cannot be read must not disturb the app.
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
    const late = lateCode();
    const { type, message, stack } = late?.describeError(error) ?? describeEarly(error);
    if (late === undefined) this.#refineErrorType(type, error);
    this.status = "ERROR";
    this.put("error_type", type);
    this.put("error_message", message);
    const thrown = [error, ...causesOf(error)];
    const isPropagated = thrown.some((cause) => this.errorsInside.includes(cause));
    if (!isPropagated) {
      // Only the span where the error was thrown has the stack.
      this.put("error_stack", stack);
      for (let outer = this.parent; outer !== undefined; outer = outer.parent)
        outer.errorsInside = [...outer.errorsInside.slice(-MAX_ERRORS), ...thrown];
    }
    // A span that failed by itself counts as failed, even if another error passes through it later.
    this.errorPropagated = isPropagated && !this.hasOwnError;
    this.hasOwnError ||= !isPropagated;
    return this;
  }

  /** Adds the code of an error that was recorded before the code that reads it was loaded. */
  #refineErrorType(early: string, error: unknown): void {
    withLateCode((late) => {
      const { attributes } = this;
      if (late !== undefined && attributes["error_type"] === early)
        attributes["error_type"] = late.describeError(error).type;
    });
  }

  run<T>(fn: () => T): T {
    return runInContext(this, fn);
  }

  end(): void {
    this.endAt(performance.now());
  }

  /**
   * Ends the span at a time between its start and now, in milliseconds of the monotonic clock. Calling it again has no
   * effect.
   */
  endAt(monotonicMs: number): void {
    if (this.durationMs >= 0) return;
    this.onEnd?.();
    const { trace } = this;
    if (trace.sessionId !== undefined) this.putDefault("session_id", trace.sessionId);
    if (trace.userId !== undefined) this.putDefault("user_id", trace.userId);
    const agent = this.agent ?? trace.agent;
    if (agent !== undefined) this.putDefault("agent", agent);
    this.durationMs = monotonicMs - this.startedAtMs;
    if (this.parent?.isRecording === false) this.parent = undefined;
    this.errorsInside = NO_ERRORS;
    this.onEnd = undefined;
    this.runtime.exporter.offer(this);
  }

  /** Sets an attribute that is not set yet. */
  putDefault(key: string, value: unknown): void {
    if (!Object.hasOwn(this.attributes, key)) this.put(key, value);
  }

  /** Sets an attribute, as the text policy allows. */
  put(key: string, value: unknown): void {
    if (typeof value === "number" || typeof value === "boolean") {
      if (typeof value === "number" && !Number.isFinite(value)) return;
      this.#store(key, value, 8);
    } else if (
      typeof value === "string" &&
      this.runtime.policy.allowsAll &&
      value.length <= MAX_TEXT_LENGTH
    ) {
      this.#store(key, value, textBytes(value));
    } else if (value !== undefined) {
      const copy = this.runtime.policy.apply(key, value);
      if (copy.value !== undefined) this.#store(key, copy.value, copy.bytes);
    }
  }

  /** Releases attributes and events once they are sent: code that ran inside the span may hold the span for long. */
  release(): void {
    if (this.durationMs < 0) return;
    this.attributes = {};
    this.events = undefined;
    RecordedSpan.latest = this;
  }

  #store(key: string, value: JsonValue, bytes: number): void {
    const { attributes } = this;
    const added = Object.hasOwn(attributes, key) ? -storedBytes(attributes[key]) : key.length + 6;
    const total = this.bytes + bytes + added;
    if (total > MAX_SPAN_BYTES) return;
    this.bytes = total;
    setKey(attributes, key, value);
  }
}

/** Describes an error in the first milliseconds of the app, without the code or status that it may have. */
function describeEarly(error: unknown): ErrorDescription {
  try {
    const { name, message, stack, constructor } = error as Error;
    return { type: name === "Error" ? constructor.name : name, message: message, stack };
  } catch {
    return { type: typeof error };
  }
}

/** What the value of an attribute counted when it was set. */
function storedBytes(value: unknown): number {
  if (typeof value === "string") return textBytes(value);
  return typeof value === "object" ? copyValue(value).bytes : 8;
}

/** Estimated size of a value in JSON; infinity if the value has to be checked against its limits first. */
function plainBytes(value: unknown): number {
  if (typeof value === "string") return value.length <= SHORT_TEXT_LENGTH ? textBytes(value) : Infinity;
  return typeof value === "boolean" || Number.isFinite(value) ? 0 : Infinity;
}

/** A time of the monotonic clock as Unix epoch milliseconds, to the microsecond. */
export function toEpochMs(trace: TraceState, monotonicMs: number): number {
  return Math.round((trace.clockOffsetMs + monotonicMs) * 1000) / 1000;
}

/** Types promise a text; a caller in JavaScript may pass anything. */
function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function clipName(name: string): string {
  return name.length > MAX_NAME_LENGTH ? copyText(name.slice(0, MAX_NAME_LENGTH)) : name;
}
