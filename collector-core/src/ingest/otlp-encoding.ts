import type { IncomingMessage } from "node:http";
import { create, toBinary, toJsonString } from "@bufbuild/protobuf";
import { ApiError } from "../api-schema/errors.js";
import { StatusSchema } from "../otlp/proto/google/rpc/status_pb.js";
import { ExportTraceServiceResponseSchema } from "../otlp/proto/opentelemetry/proto/collector/trace/v1/trace_service_pb.js";
import { readProtobufInSteps } from "../otlp/read-large-protobuf.js";
import { InvalidOtlpJson, readJsonInSteps, readJsonRequest } from "../otlp/read-json.js";
import { readProtobufRequest } from "../otlp/read-protobuf.js";
import { TooManyMessages } from "../otlp/message-budget.js";
import { MAX_VALUE_DEPTH, TooDeepValue, type OtlpTraceRequest } from "../otlp/received-spans.js";
import type { ResponseHeaders } from "./ingest-gate.js";
import type { IngestResponse } from "./ingest-route.js";
import type { Steps } from "../runtime/steps.js";
import { OTLP_JSON_BOUNDS, parseJson, requireJsonBounds } from "./parse-json.js";
import { decodeUtf8, decodeUtf8InSteps } from "./decode-utf8.js";

/** Encoding of an OTLP/HTTP request and its response. */
export type OtlpEncoding = "application/x-protobuf" | "application/json";

const ENCODINGS: ReadonlyMap<string, OtlpEncoding> = new Map([
  ["application/x-protobuf", "application/x-protobuf"],
  ["application/protobuf", "application/x-protobuf"],
  ["application/json", "application/json"],
]);

/** @returns undefined for a Content-Type that OTLP/HTTP does not define. */
function otlpEncodingOf(contentType = ""): OtlpEncoding | undefined {
  const encoding = ENCODINGS.get(contentType);
  if (encoding !== undefined) return encoding;
  const [type = ""] = contentType.split(";", 1);
  return ENCODINGS.get(type.trim().toLowerCase());
}

/** @throws `ApiError` unsupported_media_type. */
export function requireOtlpEncoding(contentType: string | undefined): OtlpEncoding {
  const encoding = otlpEncodingOf(contentType);
  if (encoding !== undefined) return encoding;
  const got = contentType === undefined ? "none" : JSON.stringify(contentType.slice(0, 100));
  throw new ApiError(
    "unsupported_media_type",
    `Content-Type must be application/x-protobuf or application/json, got ${got}.`,
  );
}

/**
 * Reads the body of `POST /v1/traces`.
 *
 * @throws `ApiError` invalid_json, invalid_payload, invalid_encoding, too_deep, batch_too_large.
 */
export function readOtlpRequest(body: Buffer, encoding: OtlpEncoding): OtlpTraceRequest {
  try {
    if (encoding !== "application/json") return readProtobufRequest(body);
    requireJsonBounds(body, OTLP_JSON_BOUNDS);
    return readJsonRequest(parseJson(decodeUtf8(body)));
  } catch (error) {
    throw readError(error);
  }
}

/**
 * Like {@link readOtlpRequest}, in steps. `JSON.parse` is one step.
 *
 * @throws like {@link readOtlpRequest}.
 */
export function* readOtlpInSteps(body: Buffer, encoding: OtlpEncoding): Steps<OtlpTraceRequest> {
  try {
    if (encoding !== "application/json") return yield* readProtobufInSteps(body);
    requireJsonBounds(body, OTLP_JSON_BOUNDS);
    yield;
    const parsed = parseJson(yield* decodeUtf8InSteps(body));
    yield;
    return yield* readJsonInSteps(parsed);
  } catch (error) {
    throw readError(error);
  }
}

/** The error of a request that cannot be read or mapped. */
export function readError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof TooDeepValue) {
    const message = `An attribute is nested deeper than ${MAX_VALUE_DEPTH} levels.`;
    return new ApiError("too_deep", message, { max_depth: MAX_VALUE_DEPTH });
  }
  if (error instanceof TooManyMessages) {
    const message = `The request has more than ${error.max} ${error.what}. Send fewer spans at a time.`;
    return new ApiError("batch_too_large", message, { max: error.max });
  }
  if (error instanceof InvalidOtlpJson) return new ApiError("invalid_payload", error.message);
  // The message of the decoder may quote the body.
  return new ApiError("invalid_payload", "The body is not an ExportTraceServiceRequest in protobuf.");
}

/** Encodes a response: empty if all spans were accepted, else the number of refused spans and the reason. */
export function writeOtlpResponse(
  encoding: OtlpEncoding,
  refused: { readonly spans: number; readonly reason: string },
): string | Uint8Array {
  // An empty string, not an empty array: Node sends headers and a string body in one packet.
  if (refused.spans === 0) return encoding === "application/json" ? "{}" : "";
  const response = create(ExportTraceServiceResponseSchema, {
    partialSuccess: { rejectedSpans: BigInt(refused.spans), errorMessage: refused.reason },
  });
  return encoding === "application/json"
    ? toJsonString(ExportTraceServiceResponseSchema, response)
    : toBinary(ExportTraceServiceResponseSchema, response);
}

/** Codes of `google.rpc.Code` by HTTP status. */
const RPC_CODES: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  408: 4,
  413: 8,
  415: 3,
  417: 3,
  429: 8,
  503: 14,
};
const RPC_INTERNAL = 13;

/**
 * Returns an error in the format of OTLP/HTTP: a `google.rpc.Status` in the encoding of the request, with the error code
 * at the start of its message. If the encoding is unknown, the response is JSON.
 */
export function formatOtlpError(error: ApiError, request: IncomingMessage): IngestResponse {
  const encoding = otlpEncodingOf(request.headers["content-type"]) ?? "application/json";
  const status = create(StatusSchema, {
    code: RPC_CODES[error.status] ?? RPC_INTERNAL,
    message: `${error.code}: ${error.message}`,
  });
  return {
    status: error.status,
    headers: otlpHeaders(encoding, error.headers),
    body:
      encoding === "application/json" ? toJsonString(StatusSchema, status) : toBinary(StatusSchema, status),
  };
}

/** Returns the headers of a response in an encoding. */
export function otlpHeaders(encoding: OtlpEncoding, headers: ResponseHeaders): ResponseHeaders {
  return { ...headers, "Content-Type": encoding, "X-Content-Type-Options": "nosniff" };
}
