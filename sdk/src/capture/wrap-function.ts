import { recordInput } from "./call-texts.js";
import { runInContext } from "./context.js";
import { failSpan, followResult } from "./follow-result.js";
import { prepareModelSpan, type EvaluationRequest } from "./model-span.js";
import { activeRuntime } from "./recording.js";
import type { SpanAttributes } from "./span-handle.js";
import { announceStart, startRecordedSpan } from "./start-span.js";

/** Any function; `never` for its parameters, so that every function is one. */
export type AnyFunction = (...args: never[]) => unknown;

/** What a wrapped function's calls become. */
export interface CallSpan extends EvaluationRequest {
  readonly spanType: string;
  readonly name: string;
  readonly attributes: SpanAttributes | undefined;
  readonly recordsInput: boolean;
  readonly recordsOutput: boolean;
}

/** A function that records a span for each call of another, and is like it in all else: type, name, length, `this`. */
export function wrapFunction<F extends AnyFunction>(fn: F, call: CallSpan): F {
  const original = fn as unknown as (...args: unknown[]) => unknown;
  const wrapper = function (this: unknown, ...args: unknown[]): unknown {
    return callInSpan(original, this, args, call);
  };
  return likeOriginal(wrapper, original) as unknown as F;
}

function callInSpan(
  fn: (...args: unknown[]) => unknown,
  self: unknown,
  args: unknown[],
  call: CallSpan,
): unknown {
  const runtime = activeRuntime();
  if (runtime === undefined) return Reflect.apply(fn, self, args);
  const span = startRecordedSpan(runtime, call.name, call.spanType);
  if (call.spanType === "agent") span.agent = call.name;
  if (call.spanType === "tool") span.put("tool_name", call.name);
  if (call.attributes !== undefined) span.setAttributes(call.attributes);
  if (call.recordsInput) {
    try {
      recordInput(span, args);
    } catch {
      // Arguments that throw when they are looked at are no reason not to call.
    }
  }
  if (call.spanType === "llm" || call.spanType === "embedding") prepareModelSpan(runtime, span, call);
  announceStart(span);
  let result: unknown;
  try {
    result = runInContext<unknown>(span, () => Reflect.apply(fn, self, args));
  } catch (error) {
    failSpan(span, error);
    throw error;
  }
  return followResult(span, result, call.recordsOutput);
}

/** Own properties of old-style functions that cannot be copied, and say nothing. */
const NOT_COPIED = new Set<PropertyKey>(["arguments", "caller"]);

function likeOriginal<W extends object>(wrapper: W, original: object): W {
  for (const key of Reflect.ownKeys(original)) {
    if (NOT_COPIED.has(key)) continue;
    const descriptor = Reflect.getOwnPropertyDescriptor(original, key);
    if (descriptor !== undefined) Reflect.defineProperty(wrapper, key, descriptor);
  }
  // So it still says that it is an async function, or a generator.
  Object.setPrototypeOf(wrapper, Object.getPrototypeOf(original) as object | null);
  return wrapper;
}
