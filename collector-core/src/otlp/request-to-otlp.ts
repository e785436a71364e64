import type { PipelineSpan } from "../span/pipeline-span.js";
import type { BatchContext } from "../span/span-facts.js";
import { unreadableAttributes } from "../span/unreadable-attributes.js";
import type { Steps } from "../runtime/steps.js";
import { ProtobufSpanWriter, writeKeyValue } from "./protobuf-span-writer.js";
import { ProtobufWriter } from "./protobuf-writer.js";
import { writeSpan } from "./span-to-otlp.js";
import type { SpanMarks } from "./span-marks.js";
import type { SpanWriter } from "./span-writer.js";

/** The part of a pipeline span that is written. */
export interface WritableSpan extends Pick<PipelineSpan, "context" | "span" | "facts"> {
  /** Only in a file. */
  readonly marks?: SpanMarks | undefined;
}

/** Name of the instrumentation scope. */
export const SCOPE_NAME = "obspan";

/**
 * Writes spans as an `ExportTraceServiceRequest` in protobuf.
 *
 * @param groups - non-empty groups of spans with the same context.
 * @param version - version of the collector, which becomes the version of the instrumentation scope.
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
        writer.truncate(start);
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
 * Writes a span. A span that cannot be written, because it is nested too deep or too long for a string, is written without
 * its attributes and events, so that one span does not fail the request.
 *
 * @param begin - returns a writer without any part of the span.
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

/** Identifies the application and the tenant of spans. */
export function contextKey({ tenant, service, env, version }: BatchContext): string {
  return JSON.stringify([tenant, service, env, version ?? null]);
}

/** Attributes of the `Resource` of an application. */
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
