import type { EvaluationRequest } from "./call-span.js";
import type { SpanAttributes } from "../span/span-handle.js";
import { wrapFunction, type AnyFunction, type CallSpan } from "./wrap-function.js";
import { isRecord } from "../is-record.js";
import { withLateCode } from "../late-code.js";

/** Options of a wrapper or decorator. */
export interface WrapperOptions {
  /** Name of the spans. Default: the name of the function; if it has none, the kind of the span. */
  readonly name?: string | undefined;
  /** Set on every span. */
  readonly attributes?: SpanAttributes | undefined;
  /** Whether the arguments are recorded. Default: true. `capturePrompt: false` wins. */
  readonly captureInput?: boolean | undefined;
  /** Whether the result is recorded. Default: true. `captureCompletion: false` wins. */
  readonly captureOutput?: boolean | undefined;
}

/** Options of `llm` and `embedding`. */
export interface ModelOptions extends WrapperOptions, EvaluationRequest {
  /** Model that is called. Default: the model that the response names. */
  readonly model?: string | undefined;
  /** `openai`, `anthropic`, `google`, … */
  readonly provider?: string | undefined;
}

/** The part of a TC39 method decorator's context that is used. */
interface MethodContext {
  readonly kind: "method";
  readonly name: string | symbol;
}

/** Decorates a method, with TC39 decorators or `experimentalDecorators`, or wraps a function. */
export interface SpanDecorator {
  <F extends AnyFunction>(fn: F, context?: MethodContext): F;
  <F extends AnyFunction>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<F>,
  ): TypedPropertyDescriptor<F>;
}

/**
 * Records each call of a function as a span:
 * - `tool(fn)`, `tool("search", fn)`, `tool({ name: "search" }, fn)` wrap a function and keep its type; the function may
 *   also come first;
 * - `@tool`, `@tool()`, `@tool("search")`, `@tool({ … })` decorate a method, with TC39 or legacy decorators.
 */
export interface SpanWrapper<Options> extends SpanDecorator {
  <F extends AnyFunction>(options: Options | string, fn: F): F;
  <F extends AnyFunction>(fn: F, options: Options | string): F;
  (options?: Options | string): SpanDecorator;
}

/** Creates the wrapper of one kind of span. */
function spanWrapper<Options extends WrapperOptions>(spanType: string): SpanWrapper<Options> {
  function wrapper(...args: unknown[]): unknown {
    const [first, second, third] = args;
    const isSwapped =
      typeof first === "function" && third === undefined && (typeof second === "string" || isOptions(second));
    const [options, fn] = isSwapped ? [readOptions(second), first] : [readOptions(first), second];
    if (options === undefined) return decorate(spanType, {}, args);
    if (typeof fn === "function") return wrap(spanType, options, fn as AnyFunction, undefined);
    if (fn !== undefined) withLateCode((late) => late?.warnWrapper(spanType));
    return (...decorated: unknown[]) => decorate(spanType, options, decorated);
  }
  return wrapper as SpanWrapper<Options>;
}

/** The first argument as options; undefined if it is a function or the target of a decorator. */
function readOptions(first: unknown): ModelOptions | undefined {
  if (first === undefined) return {};
  if (typeof first === "string") return { name: first };
  return typeof first === "object" && first !== null && !isPrototype(first) ? first : undefined;
}

/** True for options, and false for the context of a TC39 decorator. */
function isOptions(value: unknown): boolean {
  return isRecord(value) && value["kind"] === undefined;
}

/** A legacy decorator without parentheses gets the prototype of the class as its first argument. */
function isPrototype(value: object): boolean {
  return (
    value !== Object.prototype &&
    (value.constructor as { prototype?: unknown } | undefined)?.prototype === value
  );
}

/** Handles three forms: `(fn)`, `(method, context)` and `(target, key, descriptor)`. */
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
  withLateCode((late) => late?.warnWrapper(spanType));
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
 * Records calls of a model. The prompt is the first text or the messages among the arguments; the completion is the
 * result. Model and tokens are read from the result if it has the shape of a model API's response. Otherwise set them:
 * `currentSpan().setAttributes({ tokens_input, tokens_output })`.
 *
 * If an integration records a model call inside, such as that of a wrapped client, the span is its parent and has no tokens
 * and no calculated cost: they count once.
 *
 * @example
 * ```ts
 * const ask = llm({ model: "gpt-5-mini", provider: "openai" }, async (prompt: string) => callModel(prompt));
 * ```
 */
export const llm: SpanWrapper<ModelOptions> = spanWrapper("llm");

/**
 * Records calls of an embedding model. The vectors are not recorded.
 *
 * @example
 * ```ts
 * const embed = embedding({ model: "text-embedding-3-small" }, async (text: string) => callModel(text));
 * ```
 */
export const embedding: SpanWrapper<ModelOptions> = spanWrapper("embedding");

/**
 * Records calls of a tool. The name is a label of metrics.
 *
 * @example
 * ```ts
 * const search = tool("search", async (query: string) => index.search(query));
 * ```
 */
export const tool: SpanWrapper<WrapperOptions> = spanWrapper("tool");

/**
 * Records runs of an agent. All spans inside it carry its name, which is a label of metrics.
 *
 * @example
 * ```ts
 * const support = agent("support", async (question: string) => answer(await search(question)));
 * ```
 */
export const agent: SpanWrapper<WrapperOptions> = spanWrapper("agent");

/**
 * Records a step of the app.
 *
 * @example
 * ```ts
 * const rank = task("rank", (documents: string[]) => documents.toSorted());
 * ```
 */
export const task: SpanWrapper<WrapperOptions> = spanWrapper("task");

/**
 * Records searches for documents.
 *
 * @example
 * ```ts
 * const find = retrieval("find", async (query: string) => store.query(query));
 * ```
 */
export const retrieval: SpanWrapper<WrapperOptions> = spanWrapper("retrieval");

/** The wrapper and decorator behind {@link observe}. */
export const span: SpanWrapper<WrapperOptions> = spanWrapper("span");
