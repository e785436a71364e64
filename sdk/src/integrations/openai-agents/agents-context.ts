import {
  currentContext,
  enterContext,
  newTrace,
  runInContext,
  type ContextNode,
} from "../../capture/integration.js";
import { AsyncLocalStorage } from "../../platform/async-local-storage.js";
import { field, member } from "../json-fields.js";
import { ignoringErrors, replaceMethod } from "../model-client/replace-method.js";

/** Where the Agents SDK keeps its current trace and span, for every copy of it in the process. */
const STORAGE = Symbol.for("openai.agents.core.asyncLocalStorage");

/** Finds the context of a span or a trace of the Agents SDK. */
export interface AgentsContexts {
  readonly ofSpan: (span: unknown) => ContextNode | undefined;
  readonly ofTrace: (trace: unknown, outside: ContextNode | undefined) => ContextNode | undefined;
}

/**
 * Makes the current span of the Agents SDK the context of the code that runs in it: tools, guardrails and the client of the
 * model, which then records nothing. Trace processors can be called later than the code runs, so the context is found when
 * it is used.
 */
export function followAgentsContext(contexts: AgentsContexts): void {
  let storage: unknown = Reflect.get(globalThis, STORAGE);
  if (storage === undefined) {
    // The Agents SDK uses the storage that it finds here.
    storage = new AsyncLocalStorage();
    const value = { value: storage, writable: true, configurable: true };
    ignoringErrors(() => Object.defineProperty(globalThis, STORAGE, value));
  }
  const nodeOf = (store: unknown): ContextNode | undefined => {
    const current = currentContext();
    const outside = current instanceof AgentsNode ? current.outside : current;
    return store === undefined ? outside : new AgentsNode(store, outside, contexts);
  };
  replaceMethod(
    storage,
    "run",
    (original) =>
      function (this: unknown, ...args: unknown[]): unknown {
        const [store, fn, ...rest] = args;
        if (typeof fn !== "function") return Reflect.apply(original, this, args);
        const inside = (...inner: unknown[]): unknown =>
          runInContext(nodeOf(store), () => Reflect.apply(fn, undefined, inner) as unknown);
        return Reflect.apply(original, this, [store, inside, ...rest]);
      },
  );
  replaceMethod(
    storage,
    "enterWith",
    (original) =>
      function (this: unknown, ...args: unknown[]): unknown {
        const result = Reflect.apply(original, this, args);
        enterContext(nodeOf(args[0]));
        return result;
      },
  );
}

/** The context outside the Agents SDK. */
export function outsideContext(): ContextNode | undefined {
  const current = currentContext();
  return current instanceof AgentsNode ? current.outside : current;
}

/** A context that follows the current span of the Agents SDK. */
class AgentsNode implements ContextNode {
  readonly outside: ContextNode | undefined;
  readonly #store: unknown;
  readonly #contexts: AgentsContexts;
  /** For code that still runs when the trace has ended, outside every other span. */
  #fallback: ContextNode | undefined;

  constructor(store: unknown, outside: ContextNode | undefined, contexts: AgentsContexts) {
    this.#store = store;
    this.outside = outside;
    this.#contexts = contexts;
  }

  get trace(): ContextNode["trace"] {
    return this.#node().trace;
  }

  get spanId(): string {
    return this.#node().spanId;
  }

  get span(): ContextNode["span"] {
    return this.#node().span;
  }

  #node(): ContextNode {
    const isActive = field(this.#store, "active") === true;
    const node = isActive
      ? (ignoringErrors(() => this.#contexts.ofSpan(member(this.#store, "span"))) ??
        ignoringErrors(() => this.#contexts.ofTrace(member(this.#store, "trace"), this.outside)))
      : undefined;
    return node ?? this.outside ?? (this.#fallback ??= { trace: newTrace(), spanId: "", span: undefined });
  }
}
