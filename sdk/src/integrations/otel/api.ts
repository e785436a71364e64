/**
 * The parts of `@opentelemetry/api` that are used, without importing it. Its global objects and context keys are the same in
 * all its versions from 1.0 on.
 */

/** Ids of a span. */
export interface OtelSpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
  readonly isRemote?: boolean;
}

/** An immutable context. */
export interface OtelContext {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): OtelContext;
  deleteValue(key: symbol): OtelContext;
}

interface ContextManager {
  active(): OtelContext;
  with<T>(context: OtelContext, fn: () => T): T;
}

const API = Symbol.for("opentelemetry.js.api.1");
const SPAN_KEY = Symbol.for("OpenTelemetry Context Key SPAN");

/** The context manager that the app registered, if any. */
export function contextManager(): ContextManager | undefined {
  return (globalThis as { [API]?: { context?: ContextManager } })[API]?.context;
}

/** The span of a context. */
export function spanOf(context: OtelContext): unknown {
  return context.getValue(SPAN_KEY);
}

/** A context with another span, or with none. */
export function withSpan(context: OtelContext, span: object | undefined): OtelContext {
  return span === undefined ? context.deleteValue(SPAN_KEY) : context.setValue(SPAN_KEY, span);
}

/** A time as OpenTelemetry gives it: seconds and nanoseconds, a date, Unix epoch milliseconds, or `performance.now()`. */
export type TimeInput = number | Date | readonly [seconds: number, nanos: number];

/** Smaller numbers are of `performance.now()`: three years. As times of the epoch they would be of 1973. */
const LONGEST_UPTIME_MS = 1e11;

/** A time in Unix epoch milliseconds; undefined for anything else. */
export function epochMsOf(time: unknown): number | undefined {
  if (typeof time === "number") return time < LONGEST_UPTIME_MS ? performance.timeOrigin + time : time;
  if (time instanceof Date) return time.getTime();
  if (!Array.isArray(time)) return undefined;
  const [seconds, nanos] = time as unknown[];
  return typeof seconds === "number" && typeof nanos === "number" ? seconds * 1000 + nanos / 1e6 : undefined;
}

/** Attributes of a span or of an event. */
export type OtelAttributes = Readonly<Record<string, unknown>>;

/** A span with the interface of OpenTelemetry. */
export interface OtelSpan {
  spanContext(): OtelSpanContext;
  isRecording(): boolean;
  setAttribute(key: string, value: unknown): this;
  setAttributes(attributes: OtelAttributes): this;
  addEvent(name: string, attributesOrTime?: OtelAttributes | TimeInput, time?: TimeInput): this;
  addLink(link: unknown): this;
  addLinks(links: readonly unknown[]): this;
  setStatus(status: { readonly code: number; readonly message?: string }): this;
  updateName(name: string): this;
  recordException(exception: unknown, time?: TimeInput): void;
  end(time?: TimeInput): void;
}
