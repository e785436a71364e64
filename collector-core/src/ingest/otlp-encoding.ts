import type { IncomingMessage } from "node:http";
import { create, toBinary, toJsonString } from "@bufbuild/protobuf";
import { ApiError } from "../api-schema/errors.js";
import { StatusSchema } from "../otlp/proto/google/rpc/status_pb.js";
import { ExportTraceServiceResponseSchema } from "../otlp/proto/opentelemetry/proto/collector/trace/v1/trace_service_pb.js";
import { readJsonRequest, InvalidOtlpJson } from "../otlp/read-json.js";
import { readProtobufRequest } from "../otlp/read-protobuf.js";
import { TooManyMessages } from "../otlp/message-budget.js";
import { MAX_VALUE_DEPTH, TooDeepValue, type OtlpTraceRequest } from "../otlp/received-spans.js";
import type { AnswerHeaders } from "./ingest-gate.js";
import type { IngestAnswer } from "./ingest-route.js";
import { OTLP_JSON_BOUNDS, parseJson, requireJsonBounds } from "./parse-json.js";
import { decodeUtf8 } from "./decode-utf8.js";

/** How a request of OTLP/HTTP is written, and so its answer. */
export type OtlpEncoding = "application/x-protobuf" | "application/json";

const ENCODINGS: ReadonlyMap<string, OtlpEncoding> = new Map([
  ["application/x-protobuf", "application/x-protobuf"],
  ["application/protobuf", "application/x-protobuf"],
  ["application/json", "application/json"],
]);

/** @returns undefined where the Content-Type is none that OTLP/HTTP has. */
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
    if (error instanceof ApiError) throw error;
    if (error instanceof TooDeepValue) {
      const message = `An attribute is nested deeper than ${MAX_VALUE_DEPTH} levels.`;
      throw new ApiError("too_deep", message, { max_depth: MAX_VALUE_DEPTH });
    }
    if (error instanceof TooManyMessages) {
      const message = `The request has more than ${error.max} ${error.what}. Send fewer spans at a time.`;
      throw new ApiError("batch_too_large", message, { max: error.max });
    }
    if (error instanceof InvalidOtlpJson) throw new ApiError("invalid_payload", error.message);
    // What the decoder says of it may quote the body.
    throw new ApiError("invalid_payload", "The body is not an ExportTraceServiceRequest in protobuf.");
  }
}

/** The answer to a request: empty where every span was taken, else how many were not, and why. */
export function writeOtlpResponse(
  encoding: OtlpEncoding,
  refused: { readonly spans: number; readonly reason: string },
): string | Uint8Array {
  // A text, even where it has nothing: head and body then leave in one piece.
  if (refused.spans === 0) return encoding === "application/json" ? "{}" : "";
  const response = create(ExportTraceServiceResponseSchema, {
    partialSuccess: { rejectedSpans: BigInt(refused.spans), errorMessage: refused.reason },
  });
  return encoding === "application/json"
    ? toJsonString(ExportTraceServiceResponseSchema, response)
    : toBinary(ExportTraceServiceResponseSchema, response);
}

/** The codes of `google.rpc.Code` by the status of HTTP. */
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
 * An error as OTLP/HTTP has it: a `google.rpc.Status`, its message begun by our code, in the encoding of the request; where
 * that is none of OTLP's, in the one that can be read.
 */
export function answerOtlpError(error: ApiError, request: IncomingMessage): IngestAnswer {
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

/** Headers of an answer in that encoding. */
export function otlpHeaders(encoding: OtlpEncoding, headers: AnswerHeaders): AnswerHeaders {
  return { ...headers, "Content-Type": encoding, "X-Content-Type-Options": "nosniff" };
}
