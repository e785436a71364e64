import type { EvaluationRequest } from "./call-span.js";
import type { SpanAttributes } from "./span-handle.js";
import { wrapFunction, type AnyFunction, type CallSpan } from "./wrap-function.js";
import { warnOnce } from "./warnings.js";

/** What a wrapper or decorator takes. */
export interface WrapperOptions {
  /** Name of the spans. Default: the name of the function, else the kind of the span. */
  readonly name?: string | undefined;
  /** Set on every span. */
  readonly attributes?: SpanAttributes | undefined;
  /** Whether the arguments are recorded. Default true, within `capturePrompt`. */
  readonly captureInput?: boolean | undefined;
  /** Whether the result is recorded. Default true, within `captureCompletion`. */
  readonly captureOutput?: boolean | undefined;
}

/** What `llm` and `embedding` take. */
export interface ModelOptions extends WrapperOptions, EvaluationRequest {
  /** Model that is called. Default: what the answer says. */
  readonly model?: string | undefined;
  /** `openai`, `anthropic`, `google`, … */
  readonly provider?: string | undefined;
}

/** The context that TC39 decorators of methods are given; the standard type names more than is needed. */
interface MethodContext {
  readonly kind: "method";
  readonly name: string | symbol;
}

/** Decorates a method, as TC39 has it or with `experimentalDecorators`, or wraps a function. */
export interface SpanDecorator {
  <F extends AnyFunction>(fn: F, context?: MethodContext): F;
  <F extends AnyFunction>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<F>,
  ): TypedPropertyDescriptor<F>;
}

/**
 * Makes spans of the calls of a function:
 * - `tool(fn)`, `tool("search", fn)`, `tool({ name: "search" }, fn)` wrap a function; the type stays;
 * - `@tool`, `@tool()`, `@tool("search")`, `@tool({ … })` decorate a method, TC39 or legacy.
 */
export interface SpanWrapper<Options> extends SpanDecorator {
  <F extends AnyFunction>(options: Options | string, fn: F): F;
  (options?: Options | string): SpanDecorator;
}

/** Makes the wrapper of one kind of span. */
function spanWrapper<Options extends WrapperOptions>(spanType: string): SpanWrapper<Options> {
  function wrapper(...args: unknown[]): unknown {
    const [first, second] = args;
    const options = readOptions(first);
    if (options === undefined) return decorate(spanType, {}, args);
    return typeof second === "function"
      ? wrap(spanType, options, second as AnyFunction, undefined)
      : (...decorated: unknown[]) => decorate(spanType, options, decorated);
  }
  return wrapper as SpanWrapper<Options>;
}

/** The options, where the first argument is that; undefined where it is a function or the target of a decorator. */
function readOptions(first: unknown): ModelOptions | undefined {
  if (first === undefined) return {};
  if (typeof first === "string") return { name: first };
  return typeof first === "object" && first !== null && !isPrototype(first) ? first : undefined;
}

/** A legacy decorator without parentheses gets the prototype of its class first. */
function isPrototype(value: object): boolean {
  return (
    value !== Object.prototype &&
    (value.constructor as { prototype?: unknown } | undefined)?.prototype === value
  );
}

/** One of three calls: `(fn)`, `(method, context)`, `(target, key, descriptor)`. */
function decorate(spanType: string, options: ModelOptions, args: readonly unknown[]): unknown {
  const [first, second, third] = args;
  if (typeof second === "string" || typeof second === "symbol") {
    const descriptor = third as PropertyDescriptor | undefined;
    const method: unknown = descriptor?.value;
    if (typeof method === "function")
      return { ...descriptor, value: wrap(spanType, options, method as AnyFunction, second) };
  } else if (typeof first === "function") {
    const context = second as { kind: string; name: string | symbol } | undefined;
    if (context === undefined || context.kind === "method")
      return wrap(spanType, options, first as AnyFunction, context?.name);
  }
  warnOnce(`decorate:${spanType}`, `@${spanType} decorates methods only: nothing else is recorded.`);
  return third;
}

function wrap(
  spanType: string,
  options: ModelOptions,
  fn: AnyFunction,
  key: string | symbol | undefined,
): AnyFunction {
  const { model, provider, attributes } = options;
  const ownName = typeof key === "symbol" ? (key.description ?? "") : (key ?? fn.name);
  const call: CallSpan = {
    spanType,
    name: options.name || ownName || spanType,
    attributes:
      model === undefined && provider === undefined ? attributes : { model, provider, ...attributes },
    recordsInput: options.captureInput !== false,
    recordsOutput: options.captureOutput !== false,
    evaluationTypes: options.evaluationTypes,
    evaluationSampleRate: options.evaluationSampleRate,
  };
  return wrapFunction(fn, call);
}

/**
 * A call of a model. The first text or the messages among the arguments are its prompt; the result is its completion, and
 * where it is shaped like an answer of a model API, model and tokens are read from it. What is not found that way can be
 * set: `currentSpan().setAttributes({ tokens_input, tokens_output })`.
 */
export const llm: SpanWrapper<ModelOptions> = spanWrapper("llm");

/** A call of an embedding model. The vectors are not recorded. */
export const embedding: SpanWrapper<ModelOptions> = spanWrapper("embedding");

/** A tool that an agent calls; the name is a label of metrics. */
export const tool: SpanWrapper<WrapperOptions> = spanWrapper("tool");

/** An agent. Its name is on all spans inside it, and a label of metrics. */
export const agent: SpanWrapper<WrapperOptions> = spanWrapper("agent");

/** A step of the app's own. */
export const task: SpanWrapper<WrapperOptions> = spanWrapper("task");

/** A search for documents. */
export const retrieval: SpanWrapper<WrapperOptions> = spanWrapper("retrieval");

/** What {@link observe} wraps and decorates with. */
export const span: SpanWrapper<WrapperOptions> = spanWrapper("span");
