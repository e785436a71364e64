import type { AsyncLocalStorage } from "node:async_hooks";
import { setContextBridge, type ContextNode } from "../../capture/integration.js";
import { contextOf } from "../../capture/otel-span.js";
import { IgnoredSpanMethods } from "../ignored-span-methods.js";
import { field, member, textOf } from "../json-fields.js";
import { contextManager, spanOf, withSpan, type OtelSpan, type OtelSpanContext } from "./api.js";

const INVALID_ID = /^0*$/;

/** The context of the SDK by the span that stands for it in a context of OpenTelemetry. */
const nodes = new WeakMap<object, ContextNode>();
/** The span of OpenTelemetry that a context of the SDK has. */
const spans = new WeakMap<ContextNode, object>();

/** Makes a span of OpenTelemetry the one of a context of the SDK. */
export function link(span: object, node: ContextNode): void {
  nodes.set(span, node);
  spans.set(node, span);
}

/** The context of the SDK for a span of OpenTelemetry; undefined without a valid span. */
export function nodeOf(span: unknown, own: ContextNode | undefined): ContextNode | undefined {
  if (typeof span !== "object" || span === null) return undefined;
  const known = nodes.get(span);
  if (known !== undefined) return known;
  const read = member(span, "spanContext");
  const ids: unknown = typeof read === "function" ? Reflect.apply(read, span, []) : undefined;
  const traceId = textOf(field(ids, "traceId"));
  const spanId = textOf(field(ids, "spanId"));
  if (traceId === undefined || spanId === undefined || INVALID_ID.test(traceId) || INVALID_ID.test(spanId))
    return undefined;
  return contextOf(traceId, spanId, own);
}

/**
 * Joins the contexts of OpenTelemetry and of the SDK: a span that either starts is a child of the innermost span of both.
 * Nothing changes while the app has registered no context manager. Calling it again has no effect.
 */
export function joinContexts(): void {
  setContextBridge({
    current(own) {
      const manager = contextManager();
      if (manager === undefined) return own;
      return nodeOf(spanOf(manager.active()), own) ?? own;
    },
    run(node, fn) {
      const manager = contextManager();
      if (manager === undefined) return fn();
      // A trace without a span has none in OpenTelemetry either.
      const span = node === undefined || node.spanId === "" ? undefined : spanFor(node);
      return manager.with(withSpan(manager.active(), span), fn);
    },
    enter(node) {
      const manager = contextManager();
      if (manager !== undefined)
        storageOf(manager)?.enterWith(withSpan(manager.active(), node && spanFor(node)));
    },
    prepareEntering() {
      const storage = storageOf(contextManager());
      storage?.enterWith(storage.getStore());
    },
  });
}

/** The storage of OpenTelemetry's own context manager. The interface of context managers has no method to enter a context. */
function storageOf(manager: unknown): AsyncLocalStorage<unknown> | undefined {
  const storage = member(manager, "_asyncLocalStorage");
  return typeof member(storage, "enterWith") === "function"
    ? (storage as AsyncLocalStorage<unknown>)
    : undefined;
}

/** A context of the SDK as a span of OpenTelemetry. Its ids are read when they are used. */
function spanFor(node: ContextNode): object {
  let span = spans.get(node);
  if (span === undefined) {
    span = new ContextSpan(() => ({ traceId: node.trace.traceId, spanId: node.spanId, traceFlags: 1 }));
    link(span, node);
  }
  return span;
}

/** A span that carries ids and records nothing, as OpenTelemetry's own for remote parents. */
export class ContextSpan extends IgnoredSpanMethods implements OtelSpan {
  readonly #ids: () => OtelSpanContext;

  constructor(ids: () => OtelSpanContext) {
    super();
    this.#ids = ids;
  }

  spanContext(): OtelSpanContext {
    return this.#ids();
  }

  isRecording(): boolean {
    return false;
  }

  setAttribute(): this {
    return this;
  }

  setAttributes(): this {
    return this;
  }

  addEvent(): this {
    return this;
  }

  recordException(): void {
    // Records nothing.
  }

  end(): void {
    // The SDK ends its span.
  }
}
