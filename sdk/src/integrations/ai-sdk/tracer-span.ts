import { processWide, type ManualSpan } from "../../capture/integration.js";
import { IgnoredSpanMethods } from "../ignored-span-methods.js";
import { recordFailure } from "./failure.js";
import type { ObspanTracerSpan } from "./tracer-interface.js";
import { resultTokens, type TracedOperation } from "./tracer-operations.js";

/** The tracer's spans by the SDK's own. */
const tracerSpans = processWide("ai-sdk.tracer-spans", () => new WeakMap<object, TracerSpan>());

/** The span of a tracer that an SDK span belongs to. */
export function tracerSpanOf(span: object | undefined): TracerSpan | undefined {
  return span === undefined ? undefined : tracerSpans.get(span);
}

/**
 * A span with the methods of OpenTelemetry's `Span`, which writes to a span of the SDK. Methods that the AI SDK does not
 * call do nothing.
 */
export class TracerSpan extends IgnoredSpanMethods implements ObspanTracerSpan {
  readonly span: ManualSpan;
  readonly operation: TracedOperation;
  readonly parent: TracerSpan | undefined;
  /** Spans inside this one that have not ended. The AI SDK does not end a model call that the app cancels. */
  readonly #open = new Set<TracerSpan>();
  /** The model call inside this span that failed, and may be retried. */
  #failedCall: TracerSpan | undefined;
  #failure: { readonly error: unknown } | undefined;
  #endedAtMs: number | undefined;
  #attempts = 1;
  /** True while the function of `startActiveSpan()` runs. Its result and its error tell more than the AI SDK records. */
  #isActive = false;

  constructor(operation: TracedOperation, parent: TracerSpan | undefined) {
    super();
    this.span = operation.span;
    this.operation = operation;
    this.parent = parent;
    if (parent !== undefined) parent.#open.add(this);
    tracerSpans.set(this.span, this);
  }

  /** The failed model call inside this span, which a further attempt continues. */
  takeFailedCall(): TracerSpan | undefined {
    const call = this.#failedCall;
    this.#failedCall = undefined;
    if (call !== undefined) {
      call.#failure = call.#endedAtMs = undefined;
      call.#attempts += 1;
    }
    return call;
  }

  /** Runs a function inside the span. If the AI SDK ends the span in it, the span ends with the function's result. */
  run<T>(fn: () => T): T {
    this.#isActive = true;
    try {
      const result = this.span.run(fn);
      if (!(result instanceof Promise)) this.#settle(undefined);
      else
        return result.then(
          (value: unknown) => {
            this.span.setAttributes(this.operation.call === undefined ? {} : resultTokens(value));
            this.#settle(undefined);
            return value;
          },
          (error: unknown) => {
            this.#settle({ error });
            throw error;
          },
        ) as T;
      return result;
    } catch (error) {
      this.#settle({ error });
      throw error;
    }
  }

  spanContext(): ReturnType<ObspanTracerSpan["spanContext"]> {
    const { traceId, spanId } = this.span;
    return { traceId, spanId, traceFlags: 1 };
  }

  setAttribute(key: string, value: unknown): this {
    return this.setAttributes({ [key]: value });
  }

  setAttributes(attributes: object): this {
    this.span.setAttributes(this.operation.read(attributes));
    return this;
  }

  addEvent(name: string): this {
    if (name === "ai.stream.firstChunk") {
      this.operation.call?.markFirstToken();
      this.span.setAttribute("stream", true);
    }
    return this;
  }

  isRecording(): boolean {
    return this.span.isRecording;
  }

  /** Gets a copy of the error, without its class and fields. */
  recordException(exception: unknown): void {
    this.#failure ??= { error: exception };
  }

  end(): void {
    this.#endedAtMs ??= performance.now();
    if (!this.#isActive) this.#close();
  }

  #settle(failure: { readonly error: unknown } | undefined): void {
    this.#isActive = false;
    this.#failure = failure ?? this.#failure;
    if (this.#endedAtMs !== undefined) this.#close();
  }

  /** A failed model call stays open: the AI SDK may try again. */
  #close(): void {
    if (
      this.#failure !== undefined &&
      this.operation.call !== undefined &&
      this.parent?.span.isRecording === true
    )
      this.parent.#failedCall = this;
    else this.#finish();
  }

  #finish(): void {
    if (!this.span.isRecording) return;
    for (const child of this.#open) {
      child.span.setAttribute("aborted", child.#failure === undefined || undefined);
      child.#finish();
    }
    if (this.parent !== undefined) this.parent.#open.delete(this);
    if (this.#attempts > 1) this.span.setAttribute("attempts", this.#attempts);
    if (this.#failure !== undefined) recordFailure(this.span, this.#failure.error, false);
    if (this.operation.call === undefined || this.#endedAtMs === undefined) this.span.end();
    else this.operation.call.endAt(this.#endedAtMs);
  }
}
