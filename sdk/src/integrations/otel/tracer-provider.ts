import { currentContext, runInContext, type ContextNode } from "../../capture/integration.js";
import { startOtelSpan } from "../../capture/otel-span.js";
import { ContextSpan, joinContexts, link, nodeOf } from "./join-contexts.js";
import {
  epochMsOf,
  spanOf,
  type OtelAttributes,
  type OtelContext,
  type OtelSpan,
  type TimeInput,
} from "./api.js";
import { RecordingSpan } from "./otel-span.js";
import { KINDS } from "./span-kinds.js";

/** What a span starts with: OpenTelemetry's `SpanOptions`. */
export interface OtelSpanOptions {
  readonly kind?: number;
  readonly attributes?: OtelAttributes;
  readonly links?: readonly unknown[];
  readonly startTime?: TimeInput;
  readonly root?: boolean;
}

/** A function that gets a span. */
type SpanFunction = (span: OtelSpan) => unknown;

/** A tracer with the interface of OpenTelemetry. */
export interface OtelTracer {
  startSpan(name: string, options?: OtelSpanOptions, context?: OtelContext): OtelSpan;
  startActiveSpan<F extends SpanFunction>(name: string, fn: F): ReturnType<F>;
  startActiveSpan<F extends SpanFunction>(name: string, options: OtelSpanOptions, fn: F): ReturnType<F>;
  startActiveSpan<F extends SpanFunction>(
    name: string,
    options: OtelSpanOptions,
    context: OtelContext,
    fn: F,
  ): ReturnType<F>;
}

/** A tracer provider with the interface of OpenTelemetry. */
export interface OtelTracerProvider {
  getTracer(name: string, version?: string): OtelTracer;
}

/**
 * A tracer provider for libraries that take one: their spans are recorded by the SDK, as children of its current span. It
 * needs no package of OpenTelemetry, and registers nothing globally. The collector reads what the spans mean from their
 * attributes, as it does for spans that arrive over OTLP.
 *
 * @example
 * ```ts
 * const anthropic = new Anthropic({ openTelemetry: { tracerProvider: obspanTracerProvider() } });
 * ```
 */
export function obspanTracerProvider(): OtelTracerProvider {
  joinContexts();
  return { getTracer: (name, version) => new Tracer(name, version) };
}

class Tracer implements OtelTracer {
  readonly #scope: Readonly<Record<string, unknown>>;

  constructor(name: string, version: string | undefined) {
    this.#scope = { "otel.scope.name": name, "otel.scope.version": version };
  }

  startSpan(name: string, options: OtelSpanOptions = {}, context?: OtelContext): OtelSpan {
    return this.#start(name, options, context).span;
  }

  startActiveSpan<F extends SpanFunction>(name: string, ...rest: unknown[]): ReturnType<F> {
    const fn = rest.pop() as (span: OtelSpan) => ReturnType<F>;
    const [options, context] = rest as [OtelSpanOptions | undefined, OtelContext | undefined];
    const { span, node } = this.#start(name, options ?? {}, context);
    return node === undefined ? fn(span) : runInContext(node, () => fn(span));
  }

  #start(
    name: string,
    { kind, attributes, links, startTime, root }: OtelSpanOptions,
    context: OtelContext | undefined,
  ): { readonly span: OtelSpan; readonly node: ContextNode | undefined } {
    const current = currentContext();
    const parent = context === undefined ? current : nodeOf(spanOf(context), current);
    const recorded = startOtelSpan({
      name,
      parent: root === true ? undefined : parent,
      startMs: epochMsOf(startTime),
    });
    if (recorded === undefined) return { span: new ContextSpan(() => NO_IDS), node: undefined };
    const span = new RecordingSpan(recorded);
    link(span, recorded);
    recorded.setAttributes({ ...this.#scope, "span.kind": KINDS[kind ?? 0] });
    if (attributes !== undefined) span.setAttributes(attributes);
    if (links !== undefined) span.addLinks(links);
    return { span, node: recorded };
  }
}

/** Of a span that is not recorded. */
const NO_IDS = { traceId: "0".repeat(32), spanId: "0".repeat(16), traceFlags: 0 };
