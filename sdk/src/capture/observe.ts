import { beginSpan, runInSpan } from "./call-span.js";
import { NOOP_SPAN } from "../span/noop-span.js";
import type { RecordedSpan } from "../span/recorded-span.js";
import { activeRuntime } from "../runtime/active-runtime.js";
import type { ManualSpan, SpanAttributes, SpanHandle, SpanType } from "../span/span-handle.js";
import { span as spanWrapper, type SpanDecorator } from "./span-wrappers.js";
import type { AnyFunction } from "./wrap-function.js";

/** What a span starts with. */
export interface SpanOptions {
  readonly name: string;
  /** Default: `span`. */
  readonly spanType?: SpanType | undefined;
  readonly attributes?: SpanAttributes | undefined;
}

/**
 * Runs a block inside a span. The span ends when the block returns, when its promise settles, or when the stream that it
 * returns ends. The block gets the span; its result is recorded only if the block sets `output_text`.
 *
 * @returns what the block returns. An error is rethrown as the same object.
 *
 * @example
 * ```ts
 * const total = await observe({ name: "checkout" }, async (span) => {
 *   span.setAttribute("cart", 3);
 *   return 59.9;
 * });
 * ```
 */
export function observe<T>(options: SpanOptions | string, block: (span: SpanHandle) => T): T;
/** Wraps a function, so that each call becomes a span, or decorates a method (`@observe`) with a TC39 decorator. */
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
  const span = start(options, observe);
  return span === undefined ? block(NOOP_SPAN) : runInSpan(span, () => block(span), false);
}

/**
 * Starts a span that you end yourself, as a child of the current span. Use it for work that starts in one callback and ends
 * in another. `span.run(fn)` makes it the parent of the spans that `fn` starts.
 *
 * @example
 * ```ts
 * const span = startSpan("upload");
 * socket.on("close", () => span.end());
 * ```
 */
export function startSpan(options: SpanOptions | string): ManualSpan {
  return start(options, startSpan) ?? NOOP_SPAN;
}

function start(
  options: SpanOptions | string = "",
  entry: (...args: never[]) => unknown,
): RecordedSpan | undefined {
  const runtime = activeRuntime();
  if (runtime === undefined) return undefined;
  const { name, spanType = "span", attributes } = typeof options === "string" ? { name: options } : options;
  return beginSpan(runtime, { name, spanType, attributes }, undefined, entry);
}
