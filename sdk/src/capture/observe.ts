import { beginSpan, runInSpan } from "./call-span.js";
import { NOOP_SPAN } from "./noop-span.js";
import type { RecordedSpan } from "./recorded-span.js";
import { activeRuntime } from "./recording.js";
import type { ManualSpan, SpanAttributes, SpanHandle, SpanType } from "./span-handle.js";
import { span as spanWrapper, type SpanDecorator } from "./span-wrappers.js";
import type { AnyFunction } from "./wrap-function.js";

/** What a span is started with. */
export interface SpanOptions {
  readonly name: string;
  /** Default `span`. */
  readonly spanType?: SpanType | undefined;
  readonly attributes?: SpanAttributes | undefined;
}

/**
 * Runs a block inside a span, at once: the span ends when the block has returned, its promise has settled, or the stream
 * that it returned has gone by. The block is given the span; its result is recorded only where it sets `output_text`.
 *
 * @returns what the block returns; what it throws is thrown on, the same object.
 */
export function observe<T>(options: SpanOptions | string, block: (span: SpanHandle) => T): T;
/** Wraps a function, so that each of its calls becomes a span; or decorates a method (`@observe`), as TC39 has it. */
export function observe<F extends AnyFunction>(
  fn: F,
  context?: { readonly kind: "method"; readonly name: string | symbol },
): F;
/** Decorates a method (`@observe()`, `@observe("name")`), or wraps a function. */
export function observe(options?: Partial<SpanOptions> | string): SpanDecorator;
/** Decorates a method (`@observe`), with `experimentalDecorators`. */
export function observe<F extends AnyFunction>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<F>,
): TypedPropertyDescriptor<F>;
export function observe(first?: unknown, second?: unknown, third?: unknown): unknown {
  if (typeof second === "function" && typeof first !== "function")
    return runBlock(first as SpanOptions | string, second as (span: SpanHandle) => unknown);
  return (spanWrapper as (...args: unknown[]) => unknown)(first, second, third);
}

function runBlock(options: SpanOptions | string, block: (span: SpanHandle) => unknown): unknown {
  const span = begin(options);
  return span === undefined ? block(NOOP_SPAN) : runInSpan(span, () => block(span), false);
}

/**
 * Starts a span that is ended by hand, as a child of the current one; for work that begins in one callback and ends in
 * another. It becomes the parent of what runs in `span.run(fn)`.
 */
export function startSpan(options: SpanOptions | string): ManualSpan {
  return begin(options) ?? NOOP_SPAN;
}

function begin(options: SpanOptions | string = ""): RecordedSpan | undefined {
  const runtime = activeRuntime();
  if (runtime === undefined) return undefined;
  const { name, spanType = "span", attributes } = typeof options === "string" ? { name: options } : options;
  return beginSpan(runtime, { name, spanType, attributes });
}
