import { toJson } from "@bufbuild/protobuf";
import { valueSize } from "../span/value-size.js";
import type { BatchContext } from "../span/span-facts.js";
import { unreadableAttributes } from "../span/unreadable-attributes.js";
import {
  ExportTraceServiceRequestSchema,
  type ExportTraceServiceRequest,
} from "./proto/opentelemetry/proto/collector/trace/v1/trace_service_pb.js";
import { contextKey, toOtlpRequest, type WritableSpan } from "./request-to-otlp.js";

/** Spans of a line at most, and the bytes of them together, where it is more than one. */
const MAX_LINE_SPANS = 100;
const MAX_LINE_BYTES = 2 ** 20;

/**
 * Spans as lines of OTLP's JSON, each a whole request, as the OpenTelemetry Collector's file exporter writes them.
 * The order of the spans is kept; a line holds no more than a megabyte, or else one span.
 *
 * @param version - of the collector.
 */
export function* jsonLines(spans: Iterable<WritableSpan>, version: string): Generator<string> {
  let groups: WritableSpan[][] = [];
  let lastContext: BatchContext | undefined;
  let count = 0;
  let bytes = 0;
  const finish = (): string[] => {
    const lines = writeLines(groups, version);
    groups = [];
    lastContext = undefined;
    count = 0;
    bytes = 0;
    return lines;
  };

  for (const each of spans) {
    const size = valueSize(each.span.attributes) + valueSize(each.span.events);
    if (count > 0 && bytes + size > MAX_LINE_BYTES) yield* finish();
    if (lastContext !== undefined && contextKey(lastContext) === contextKey(each.context))
      groups.at(-1)?.push(each);
    else groups.push([each]);
    lastContext = each.context;
    count++;
    bytes += size;
    if (count === MAX_LINE_SPANS) yield* finish();
  }
  if (count > 0) yield* finish();
}

/**
 * The spans as one line. Where one of them cannot be written, nested too deep or too long for a text, each has a line of
 * its own, and that one goes without its attributes and events: an export is never cut short by one span.
 */
function writeLines(groups: readonly (readonly WritableSpan[])[], version: string): string[] {
  try {
    return [writeLine(groups, version)];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const all = groups.flat();
    const [only, ...others] = all;
    if (only === undefined || others.length > 0) return all.flatMap((each) => writeLines([[each]], version));
    const attributes = unreadableAttributes(error);
    return [writeLine([[{ ...only, span: { ...only.span, attributes, events: [] } }]], version)];
  }
}

function writeLine(groups: readonly (readonly WritableSpan[])[], version: string): string {
  return `${JSON.stringify(toOtlpJson(toOtlpRequest(groups, version)))}\n`;
}

interface JsonObject {
  [key: string]: unknown;
}

/** OTLP's own JSON: enums are numbers, and ids are hex where protobuf's JSON has base64. */
function toOtlpJson(request: ExportTraceServiceRequest): JsonObject {
  const json = toJson(ExportTraceServiceRequestSchema, request, { enumAsInteger: true }) as JsonObject;
  for (const resource of objects(json["resourceSpans"]))
    for (const scope of objects(resource["scopeSpans"]))
      for (const span of objects(scope["spans"]))
        for (const key of ["traceId", "spanId", "parentSpanId"]) {
          const id = span[key];
          if (typeof id === "string") span[key] = Buffer.from(id, "base64").toString("hex");
        }
  return json;
}

function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? (value as JsonObject[]) : [];
}
