import { beginSpan, runInSpan, type CallSpanStart } from "./call-span.js";
import { activeRuntime } from "./recording.js";

/** Any function; `never` for its parameters, so that every function is one. */
export type AnyFunction = (...args: never[]) => unknown;

/** What a wrapped function's calls become. */
export interface CallSpan extends CallSpanStart {
  readonly recordsInput: boolean;
  readonly recordsOutput: boolean;
}

/** Functions that record their calls. */
const wrappers = new WeakSet<object>();

/** True for a function that records a span for each of its calls already. */
export function isWrapped(fn: object): boolean {
  return wrappers.has(fn);
}

/** A function that records a span for each call of another, and is like it in all else: type, name, length, `this`. */
export function wrapFunction<F extends AnyFunction>(fn: F, call: CallSpan): F {
  const original = fn as unknown as (...args: unknown[]) => unknown;
  const wrapper = function (this: unknown, ...args: unknown[]): unknown {
    const runtime = activeRuntime();
    if (runtime === undefined) return Reflect.apply(original, this, args);
    const span = beginSpan(runtime, call, call.recordsInput ? args : undefined);
    return runInSpan<unknown>(span, () => Reflect.apply(original, this, args), call.recordsOutput);
  };
  wrappers.add(wrapper);
  return likeOriginal(wrapper, original) as unknown as F;
}

function likeOriginal<W extends object>(wrapper: W, original: object): W {
  for (const key of Reflect.ownKeys(original)) {
    // Of old-style functions: they cannot be copied, and say nothing.
    if (key === "arguments" || key === "caller") continue;
    const descriptor = Reflect.getOwnPropertyDescriptor(original, key);
    if (descriptor !== undefined) Reflect.defineProperty(wrapper, key, descriptor);
  }
  // So it still says that it is an async function, or a generator.
  Object.setPrototypeOf(wrapper, Object.getPrototypeOf(original) as object | null);
  return wrapper;
}
