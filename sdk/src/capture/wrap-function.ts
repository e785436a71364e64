import { canEnterSpan, enterContext } from "../span/context.js";
import type { RecordedSpan } from "../span/recorded-span.js";
import { beginSpan, runInSpan, type CallSpanStart } from "./call-span.js";
import { failSpan, followResult } from "./follow-result.js";
import { activeRuntime } from "../runtime/active-runtime.js";

/** Any function. */
// oxlint-disable-next-line typescript/no-explicit-any -- other types would make an unannotated parameter unusable
export type AnyFunction = (...args: any[]) => unknown;

/** How the calls of a wrapped function are recorded. */
export interface CallSpan extends CallSpanStart {
  readonly recordsInput: boolean;
  readonly recordsOutput: boolean;
}

/** Functions that record their calls. Module state on purpose: a wrapper can be recognised wherever it is used. */
const wrappers = new WeakSet<object>();

/** True for a function that already records a span for each call. */
export function isWrapped(fn: object): boolean {
  return wrappers.has(fn);
}

/** Returns a function that records a span for each call. It keeps type, name, length and `this`. */
export function wrapFunction<F extends AnyFunction>(fn: F, call: CallSpan): F {
  const original = fn as unknown as (...args: unknown[]) => unknown;
  const begin = (args: readonly unknown[]): RecordedSpan | undefined => {
    const runtime = activeRuntime();
    return runtime && beginSpan(runtime, call, call.recordsInput ? args : undefined, wrapper);
  };
  const invoke = Reflect.apply.bind(undefined, original) as (
    self: unknown,
    args: readonly unknown[],
  ) => unknown;
  const run = (self: unknown, args: readonly unknown[]): unknown => {
    const span = begin(args);
    return span === undefined
      ? invoke(self, args)
      : runInSpan(span, () => invoke(self, args), call.recordsOutput);
  };
  const leave = (span: RecordedSpan, result: unknown): unknown => {
    enterContext(span.parent);
    return followResult(span, result, call.recordsOutput);
  };
  const fail = (span: RecordedSpan, error: unknown): never => {
    enterContext(span.parent);
    return failSpan(span, error);
  };

  // While the function runs, the stack has nothing of the SDK but this frame, so that recursion reaches almost half the depth
  // that it has without spans. Each further variable in here costs a hundred levels, and so does an argument that has to be
  // copied for a call: only `this` and variables are passed, two at most.
  const wrapper = function (this: unknown, ...args: unknown[]): unknown {
    const span = canEnterSpan() ? begin(args) : undefined;
    if (span === undefined) return run(this, args);
    enterContext(span);
    try {
      (args as unknown) = invoke(this, args);
    } catch (error) {
      (args as unknown) = error;
      return fail(span, args);
    }
    return leave(span, args);
  };
  wrappers.add(wrapper);
  return copyProperties(wrapper, original) as unknown as F;
}

/** What the package reflect-metadata adds to `Reflect`. */
interface ReflectMetadata {
  getOwnMetadataKeys(target: object): readonly unknown[];
  getOwnMetadata(key: unknown, target: object): unknown;
  defineMetadata(key: unknown, value: unknown, target: object): void;
}

/** Copies name, length, own properties and prototype of a function to the one that wraps it. */
export function copyProperties<W extends object>(wrapper: W, original: object): W {
  for (const key of Reflect.ownKeys(original)) {
    // Only sloppy-mode functions have them, and they cannot be copied.
    if (key === "arguments" || key === "caller") continue;
    const descriptor = Reflect.getOwnPropertyDescriptor(original, key);
    if (descriptor !== undefined) Reflect.defineProperty(wrapper, key, descriptor);
  }
  // NestJS and others keep what their decorators set in reflect-metadata, by function.
  const { getOwnMetadataKeys, getOwnMetadata, defineMetadata } = Reflect as Partial<ReflectMetadata>;
  for (const key of getOwnMetadataKeys?.(original) ?? [])
    defineMetadata?.(key, getOwnMetadata?.(key, original), wrapper);
  // The prototype tells async functions and generators from others.
  Object.setPrototypeOf(wrapper, Object.getPrototypeOf(original) as object | null);
  return wrapper;
}
