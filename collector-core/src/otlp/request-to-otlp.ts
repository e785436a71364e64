import { create } from "@bufbuild/protobuf";
import type { PipelineSpan } from "../span/pipeline-span.js";
import type { BatchContext } from "../span/span-facts.js";
import { keyValue, textValue } from "./any-value.js";
import {
  ExportTraceServiceRequestSchema,
  type ExportTraceServiceRequest,
} from "./proto/opentelemetry/proto/collector/trace/v1/trace_service_pb.js";
import { InstrumentationScopeSchema } from "./proto/opentelemetry/proto/common/v1/common_pb.js";
import { ResourceSchema, type Resource } from "./proto/opentelemetry/proto/resource/v1/resource_pb.js";
import { ResourceSpansSchema, ScopeSpansSchema } from "./proto/opentelemetry/proto/trace/v1/trace_pb.js";
import { toOtlpSpan } from "./span-to-otlp.js";

/** What is written of a span. */
export type WritableSpan = Pick<PipelineSpan, "context" | "span" | "facts">;

/**
 * Spans as a request of OTLP, those of one application together.
 *
 * @param groups - spans of one context each, none empty.
 * @param version - of the collector, for the instrumentation scope.
 */
export function toOtlpRequest(
  groups: Iterable<readonly WritableSpan[]>,
  version: string,
): ExportTraceServiceRequest {
  const scope = create(InstrumentationScopeSchema, { name: "obspan", version });
  const resourceSpans = [...groups].flatMap((spans) => {
    const [first] = spans;
    if (first === undefined) return [];
    return create(ResourceSpansSchema, {
      resource: toOtlpResource(first.context),
      scopeSpans: [create(ScopeSpansSchema, { scope, spans: spans.map(toOtlpSpan) })],
    });
  });
  return create(ExportTraceServiceRequestSchema, { resourceSpans });
}

/** Tells apart the applications, and tenants, that spans came from. */
export function contextKey({ tenant, service, env, version }: BatchContext): string {
  return JSON.stringify([tenant, service, env, version ?? null]);
}

function toOtlpResource(context: BatchContext): Resource {
  const entries = [
    ["service.name", context.service],
    ["deployment.environment.name", context.env],
    ["service.version", context.version],
    ["obspan.tenant", context.tenant],
  ] as const;
  return create(ResourceSchema, {
    attributes: entries.flatMap(([key, value]) =>
      value === undefined || value === "" ? [] : keyValue(key, textValue(value)),
    ),
  });
}
