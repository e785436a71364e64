import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import type { ErrorCode } from "../api-schema/errors.js";
import { ExportTraceRequestSchema, ExportTraceResponseSchema } from "../api-schema/otlp.js";
import { ImportResultSchema } from "../api-schema/import.js";
import { AcceptedSchema, SpanBatchSchema } from "../api-schema/telemetry.js";
import { COMMON_ERRORS, errorResponses, type ErrorResponseSchema } from "./error-schemas.js";

const TELEMETRY_ERRORS = [
  "invalid_json",
  "invalid_payload",
  "missing_spans",
  "invalid_spans",
  "invalid_span",
  "invalid_encoding",
  "too_deep",
  "invalid_tenant",
  "unauthorized",
  "host_not_allowed",
  "origin_not_allowed",
  "body_too_large",
  "batch_too_large",
  "unsupported_media_type",
  "unsupported_encoding",
  "rate_limited",
  "queue_full",
  "overloaded",
  "internal_error",
  "shutting_down",
  "paused",
] as const satisfies readonly ErrorCode[];

/** Over OTLP an unusable span is not an error: `partial_success` counts it. */
const OTLP_ERRORS = TELEMETRY_ERRORS.filter(
  (code) => code !== "missing_spans" && code !== "invalid_spans" && code !== "invalid_span",
);

/** Documented as a string: each line is an OTLP request. */
const LINES: object = { type: "string" };

/** The ingestion routes bypass Fastify, so its plugin does not see them. */
const INGEST_PATHS = {
  "/v1/telemetry": {
    post: {
      tags: ["ingestion"],
      summary: "Send a batch of spans",
      description: "Supports Content-Encoding gzip, deflate and br.",
      requestBody: { required: true, content: jsonContent(SpanBatchSchema) },
      responses: {
        202: {
          description: "Accepted; the spans are processed later.",
          content: jsonContent(AcceptedSchema),
        },
        ...asResponses(errorResponses(...TELEMETRY_ERRORS)),
      },
    },
  },
  "/v1/traces": {
    post: {
      tags: ["ingestion"],
      summary: "Send spans over OTLP/HTTP",
      description:
        "Protobuf (application/x-protobuf) or JSON (application/json). Supports Content-Encoding gzip, deflate and br. An " +
        "error is a google.rpc.Status in the encoding of the request, whose message starts with the error code. " +
        "POST /v1/metrics and POST /v1/logs get 404.",
      requestBody: { required: true, content: otlpContent(ExportTraceRequestSchema) },
      responses: {
        200: {
          description:
            "Accepted; the spans are processed later. Spans without valid ids are rejected and counted in `partial_success`.",
          content: otlpContent(ExportTraceResponseSchema),
        },
        ...asResponses(errorResponses(...OTLP_ERRORS)),
      },
    },
  },
  "/v1/import": { post: importOperation() },
};

function importOperation() {
  const errors = errorResponses(
    "invalid_json",
    "invalid_payload",
    "too_deep",
    "batch_too_large",
    "invalid_encoding",
    "invalid_tenant",
    "unauthorized",
    "host_not_allowed",
    "origin_not_allowed",
    "trace_store_disabled",
    "request_timeout",
    "body_too_large",
    "unsupported_media_type",
    "unsupported_encoding",
    "rate_limited",
    "overloaded",
    "internal_error",
    "shutting_down",
    "trace_store_unavailable",
  );
  return {
    tags: ["traces"],
    summary: "Import traces from a file",
    description:
      "OTLP-JSON lines, as `GET /v1/export` and the file exporter of the OpenTelemetry Collector write them. Supports " +
      "Content-Encoding gzip and br. A file may have any length and take any time, if at least 16 KiB arrive within 15 " +
      "seconds. A line may have four times `limits.max_body_bytes`. Eight imports run at a time. A further one waits up to " +
      "five seconds; meanwhile an import that sends less than 64 KiB a second is ended. Imported traces go to the trace " +
      "store. They are not counted in metrics, exported, or evaluated. Unusable lines are skipped; a file without a usable " +
      "line is rejected. An import that ends early keeps the traces read so far: `details` of the error has their number " +
      "and the last line read.",
    requestBody: { required: true, content: { "application/jsonl": { schema: LINES } } },
    responses: {
      200: { description: "The result of the import.", content: jsonContent(ImportResultSchema) },
      ...asResponses(errors),
    },
  };
}

const COMMON_RESPONSES = asResponses(errorResponses(...COMMON_ERRORS));

/** The responses of a route. Errors are JSON, whatever the route produces. */
function asJsonErrors(responses: unknown): Record<string, unknown> {
  const entries = Object.entries((responses ?? {}) as Record<string, ErrorResponseSchema>);
  const errors = entries.filter(([status]) => Number(status) >= 400);
  return { ...Object.fromEntries(entries), ...asResponses(Object.fromEntries(errors)) };
}

function asResponses(errors: Record<string, ErrorResponseSchema>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(errors).map(([status, schema]) => [
      status,
      { description: schema.description, content: jsonContent(schema) },
    ]),
  );
}

function jsonContent(schema: object): { "application/json": { schema: object } } {
  return { "application/json": { schema } };
}

function otlpContent(schema: object): Record<string, { schema: object }> {
  return {
    ...jsonContent(schema),
    "application/x-protobuf": {
      schema: { type: "string", format: "binary", title: "The same message in protobuf" },
    },
  };
}

/**
 * `GET /openapi.json`: generated from the validation schemas of the routes. Call it before these routes are registered.
 */
export async function describeApi(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Obspan collector",
        version,
        description: "Ingests spans, derives metrics, stores recent traces.",
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      paths: INGEST_PATHS,
    },
    refResolver: {
      buildLocalReference: ({ $id }, _baseUri, _fragment, index) =>
        typeof $id === "string" ? $id : `Schema${index}`,
    },
    transform: ({ schema, url }) => {
      const response = { ...COMMON_RESPONSES, ...asJsonErrors(schema.response) };
      return { schema: { ...schema, response }, url };
    },
  });
  app.get("/openapi.json", { schema: { hide: true } }, async () => app.swagger());
}
