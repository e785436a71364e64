import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { fromBinary, fromJsonString } from "@bufbuild/protobuf";
import {
  ExportTraceServiceResponseSchema,
  type ExportTraceServiceResponse,
} from "../otlp/proto/opentelemetry/proto/collector/trace/v1/trace_service_pb.js";
import { createSecretHider } from "../runtime/hide-secrets.js";
import { truncateCodePoints } from "../span/kept-text.js";
import { isRetryable, parseRetryAfter } from "./retry-policy.js";

/** Result of one request. */
export type SendResult =
  | { readonly type: "sent"; readonly rejectedSpans: number; readonly message: string }
  | { readonly type: "retry"; readonly reason: string; readonly retryAfterMs: number | undefined }
  | { readonly type: "refused"; readonly reason: string };

/** Options of {@link createOtlpTransport}. */
export interface OtlpTransportOptions {
  /** `exporter.otlp_endpoint`, without `/v1/traces` (spec 4.9 rule 3). */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly compression: "gzip" | "none";
  readonly now: () => number;
}

/**
 * Sends one protobuf request. Never rejects. Never follows a redirect, so that spans only go to the configured
 * endpoint.
 */
export type OtlpTransport = (body: Uint8Array, signal: AbortSignal) => Promise<SendResult>;

const TIMEOUT_MS = 10_000;
/** Maximum bytes to read of a response. A valid response has a few bytes. */
const MAX_RESPONSE_BYTES = 64 * 1024;
/** Longest message of a receiver, in characters: it becomes a line of the log. */
const MAX_MESSAGE_LENGTH = 300;
const compress = promisify(gzip);

export function createOtlpTransport(options: OtlpTransportOptions): OtlpTransport {
  const { endpoint, compression, now } = options;
  const url = `${endpoint.replace(/(?<!\/)\/+$/, "")}/v1/traces`;
  const hideSecrets = createSecretHider(Object.values(options.headers));
  const headers = {
    ...options.headers,
    "Content-Type": "application/x-protobuf",
    ...(compression === "gzip" ? { "Content-Encoding": "gzip" } : {}),
  };

  return async (body, signal) => {
    try {
      const payload = compression === "gzip" ? await compress(body) : body;
      const response = await fetch(url, {
        method: "POST",
        headers,
        body: payload as Uint8Array<ArrayBuffer>,
        redirect: "manual",
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      const result = await readResponse(response, now());
      if (result.type !== "sent") return result;
      return { ...result, message: truncateCodePoints(hideSecrets(result.message), MAX_MESSAGE_LENGTH) };
    } catch (error) {
      const reason = describeFailure(error);
      // Electron's fetch rejects a redirect that is not to be followed ("Redirect was cancelled"), instead of answering it.
      if (/redirect/i.test(reason)) return { type: "refused", reason: `the receiver redirects: ${reason}` };
      return { type: "retry", reason, retryAfterMs: undefined };
    }
  };
}

async function readResponse(response: Response, nowMs: number): Promise<SendResult> {
  const { status } = response;
  const bytes = await readBounded(response);
  if (status >= 200 && status < 300) return readSuccess(response, bytes);
  const reason = `the receiver responded with ${status}`;
  if (isRetryable(status)) {
    return {
      type: "retry",
      reason,
      retryAfterMs: parseRetryAfter(response.headers.get("Retry-After"), nowMs),
    };
  }
  return { type: "refused", reason };
}

/** Reads a 2xx response. A response that is not OTLP, such as a login page, counts as a refusal. */
function readSuccess(response: Response, bytes: Uint8Array): SendResult {
  const type = response.headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  let message: ExportTraceServiceResponse | undefined;
  try {
    if (bytes.length === 0) return { type: "sent", rejectedSpans: 0, message: "" };
    if (type === "application/json") {
      message = fromJsonString(ExportTraceServiceResponseSchema, new TextDecoder().decode(bytes), {
        ignoreUnknownFields: true,
      });
    } else if (type === "application/x-protobuf" || type === "application/octet-stream" || type === "") {
      message = fromBinary(ExportTraceServiceResponseSchema, bytes);
    }
  } catch {
    // Handled below: message is undefined.
  }
  if (message === undefined) {
    return {
      type: "refused",
      reason: `the endpoint is not an OTLP receiver (Content-Type: ${type === "" ? "none" : type})`,
    };
  }
  const { rejectedSpans = 0n, errorMessage = "" } = message.partialSuccess ?? {};
  return { type: "sent", rejectedSpans: Number(rejectedSpans), message: errorMessage };
}

async function readBounded(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MAX_RESPONSE_BYTES) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function describeFailure(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError")
    return `no response within ${TIMEOUT_MS / 1000} s`;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
