import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import type { ErrorCode } from "../api-schema/errors.js";
import { ExportTraceRequestSchema, ExportTraceResponseSchema } from "../api-schema/otlp.js";
import { ImportResultSchema } from "../api-schema/import.js";
import { AcceptedSchema, SpanBatchSchema } from "../api-schema/telemetry.js";
import { errorAnswers, type ErrorAnswer } from "./error-schemas.js";

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
] as const satisfies readonly ErrorCode[];

/** A span that cannot be used is no error over OTLP: it is counted as a partial success. */
const OTLP_ERRORS = TELEMETRY_ERRORS.filter(
  (code) => code !== "missing_spans" && code !== "invalid_spans" && code !== "invalid_span",
);

/** Described as text: each line is a request of OTLP. */
const LINES: object = { type: "string" };

/** The ingestion routes are answered without Fastify, so its plugin cannot see them: they are described here. */
const INGEST_PATHS = {
  "/v1/telemetry": {
    post: {
      tags: ["ingestion"],
      summary: "Take a batch of spans",
      description: "Content-Encoding gzip, deflate and br are understood.",
      requestBody: { required: true, content: jsonContent(SpanBatchSchema) },
      responses: {
        202: { description: "Taken; it is processed afterwards.", content: jsonContent(AcceptedSchema) },
        ...asResponses(errorAnswers(...TELEMETRY_ERRORS)),
      },
    },
  },
  "/v1/traces": {
    post: {
      tags: ["ingestion"],
      summary: "Take spans over OTLP/HTTP",
      description:
        "Protobuf (application/x-protobuf) or JSON (application/json); Content-Encoding gzip, deflate and br are " +
        "understood. An error is a google.rpc.Status in the encoding of the request, its message begun by the code. " +
        "POST /v1/metrics and /v1/logs are refused with 404.",
      requestBody: { required: true, content: otlpContent(ExportTraceRequestSchema) },
      responses: {
        200: {
          description:
            "Taken; it is processed afterwards. Spans without ids that can be used are refused and counted here.",
          content: otlpContent(ExportTraceResponseSchema),
        },
        ...asResponses(errorAnswers(...OTLP_ERRORS)),
      },
    },
  },
  "/v1/import": { post: importOperation() },
};

function importOperation() {
  const errors = errorAnswers(
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
  );
  return {
    tags: ["traces"],
    summary: "Take traces in from a file",
    description:
      "OTLP-JSON lines, as `GET /v1/export` and the OpenTelemetry Collector's file exporter write them; gzip and br " +
      "are understood. A file may have any length and take any time, as long as 16 KiB come within 15 seconds; a line may " +
      "have four times `limits.max_body_bytes`. Eight imports run at a time. A further one waits up to five seconds, and " +
      "meanwhile an import that sends less than 64 KiB a second is ended. What is read goes into the trace store and is shown; no metric " +
      "counts it, and it is not exported or judged again. A line that cannot be used is no reason to refuse the others; " +
      "a file without a single usable line is refused. An import that ends early keeps what was read: the error says what, " +
      "and after which line it ended, in `details`.",
    requestBody: { required: true, content: { "application/jsonl": { schema: LINES } } },
    responses: {
      200: { description: "What became of it.", content: jsonContent(ImportResultSchema) },
      ...asResponses(errors),
    },
  };
}

/** What any route may answer, as JSON whatever else it produces. */
const COMMON_ERRORS = asResponses(
  errorAnswers("unauthorized", "rate_limited", "host_not_allowed", "origin_not_allowed", "internal_error"),
);

function asResponses(errors: Record<number, ErrorAnswer>): Record<string, object> {
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
    "application/x-protobuf": { schema: { type: "string", format: "binary", title: "the same in protobuf" } },
  };
}

/**
 * `GET /openapi.json`: made from the schemas that the routes validate with. It must be called before the routes that
 * it describes are added.
 */
export async function describeApi(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Obspan collector",
        version,
        description: "Takes spans in, derives metrics, keeps recent traces.",
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      paths: INGEST_PATHS,
    },
    refResolver: {
      buildLocalReference: ({ $id }, _baseUri, _fragment, index) =>
        typeof $id === "string" ? $id : `Schema${index}`,
    },
    transform: ({ schema, url }) => {
      const response = schema.response as Record<string, unknown> | undefined;
      return { schema: { ...schema, response: { ...response, ...COMMON_ERRORS } }, url };
    },
  });
  app.get("/openapi.json", { schema: { hide: true } }, async () => app.swagger());
}
