import type { PipelineSpan } from "../span/pipeline-span.js";
import type { BatchContext } from "../span/span-facts.js";
import { unreadableAttributes } from "../span/unreadable-attributes.js";
import type { Steps } from "../runtime/steps.js";
import { ProtobufSpanWriter, writeKeyValue } from "./protobuf-span-writer.js";
import { ProtobufWriter } from "./protobuf-writer.js";
import { writeSpan } from "./span-to-otlp.js";
import type { SpanWriter } from "./span-writer.js";

/** What is written of a span. */
export type WritableSpan = Pick<PipelineSpan, "context" | "span" | "facts">;

/** The name of the instrumentation scope. */
export const SCOPE_NAME = "obspan";

/**
 * Spans as an `ExportTraceServiceRequest` in protobuf, those of one application together.
 *
 * @param groups - spans of one context each, none empty.
 * @param version - of the collector, for the instrumentation scope.
 */
export function* toProtobufRequest(
  groups: Iterable<readonly WritableSpan[]>,
  version: string,
): Steps<Uint8Array> {
  const writer = new ProtobufWriter();
  const spanWriter = new ProtobufSpanWriter(writer, 2);
  for (const spans of groups) {
    const [first] = spans;
    if (first === undefined) continue;
    const resourceSpans = writer.open(1);
    const resource = writer.open(1);
    for (const [key, value] of resourceAttributes(first.context)) writeKeyValue(writer, 1, key, value);
    writer.close(resource);
    const scopeSpans = writer.open(2);
    const scope = writer.open(1);
    writer.text(1, SCOPE_NAME);
    if (version !== "") writer.text(2, version);
    writer.close(scope);
    for (const each of spans) {
      const start = writer.length;
      yield* writeSpanOrLess(each, () => {
        writer.cut(start);
        return spanWriter;
      });
      yield;
    }
    writer.close(scopeSpans);
    writer.close(resourceSpans);
  }
  return writer.take();
}

/**
 * Writes a span; where it cannot be written, nested too deep or too long for a text, it goes without its attributes and
 * events: what is sent is never cut short by one span.
 *
 * @param begin - a writer that has nothing of the span yet.
 */
export function* writeSpanOrLess(each: WritableSpan, begin: () => SpanWriter): Steps<void> {
  try {
    yield* writeSpan(each, begin());
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const attributes = unreadableAttributes(error);
    yield* writeSpan({ ...each, span: { ...each.span, attributes, events: [] } }, begin());
  }
}

/** Tells apart the applications, and tenants, that spans came from. */
export function contextKey({ tenant, service, env, version }: BatchContext): string {
  return JSON.stringify([tenant, service, env, version ?? null]);
}

/** What a `Resource` says of an application. */
export function resourceAttributes(context: BatchContext): [key: string, value: string][] {
  const entries = [
    ["service.name", context.service],
    ["deployment.environment.name", context.env],
    ["service.version", context.version],
    ["obspan.tenant", context.tenant],
  ] as const;
  return entries.flatMap(([key, value]) =>
    value === undefined || value === "" ? [] : [[key, value] as [string, string]],
  );
}
