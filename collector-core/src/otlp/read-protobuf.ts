import { fromBinary } from "@bufbuild/protobuf";
import { readKeyValues } from "./from-any-value.js";
import { ExportTraceServiceRequestSchema } from "./proto/opentelemetry/proto/collector/trace/v1/trace_service_pb.js";
import type { ResourceSpans, Span } from "./proto/opentelemetry/proto/trace/v1/trace_pb.js";
import type { OtlpResourceSpans, OtlpSpan, OtlpTraceRequest } from "./received-spans.js";

/** Fields of a newer protocol are passed over. */
const OPTIONS = { readUnknownFields: false } as const;

/**
 * Reads an `ExportTraceServiceRequest` in protobuf.
 *
 * @throws `Error` where the bytes are none; `TooDeepValue`.
 */
export function readProtobufRequest(body: Uint8Array): OtlpTraceRequest {
  return fromBinary(ExportTraceServiceRequestSchema, body, OPTIONS).resourceSpans.map(readResourceSpans);
}

function readResourceSpans({ resource, scopeSpans }: ResourceSpans): OtlpResourceSpans {
  return {
    resource: readKeyValues(resource?.attributes ?? []),
    scopes: scopeSpans.map(({ scope, spans }) => ({
      scope: { name: scope?.name ?? "", version: scope?.version ?? "" },
      spans: spans.map(readSpan),
    })),
  };
}

function readSpan(span: Span): OtlpSpan {
  return {
    traceId: hexId(span.traceId, 16),
    spanId: hexId(span.spanId, 8),
    parentSpanId: hexId(span.parentSpanId, 8),
    traceState: span.traceState,
    name: span.name,
    kind: span.kind,
    startUnixNano: span.startTimeUnixNano,
    endUnixNano: span.endTimeUnixNano,
    attributes: readKeyValues(span.attributes),
    events: span.events.map(({ name, timeUnixNano, attributes }) => ({
      name,
      timeUnixNano,
      attributes: readKeyValues(attributes),
    })),
    links: span.links.map(({ traceId, spanId, traceState, attributes }) => ({
      traceId: hexId(traceId, 16),
      spanId: hexId(spanId, 8),
      traceState,
      attributes: readKeyValues(attributes),
    })),
    statusCode: span.status?.code ?? 0,
    statusMessage: span.status?.message ?? "",
  };
}

/** `""` where the id has another length, or is all zeros, which means none. */
function hexId(bytes: Uint8Array, length: number): string {
  if (bytes.length !== length) return "";
  // The decoder cuts them from the body: of a Buffer they are Buffers.
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, length);
  const hex = buffer.toString("hex");
  return hex === NO_TRACE_ID || hex === NO_SPAN_ID ? "" : hex;
}

const NO_TRACE_ID = "0".repeat(32);
const NO_SPAN_ID = "0".repeat(16);
