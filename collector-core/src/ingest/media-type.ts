import { ApiError } from "../api-schema/errors.js";

/** Content types in use for OTLP-JSON lines. */
const LINE_TYPES = new Set([
  "application/jsonl",
  "application/x-ndjson",
  "application/x-jsonlines",
  "application/json",
  "application/octet-stream",
]);

/**
 * Requires a content type that a page of another origin cannot send without a preflight.
 *
 * @throws `ApiError` unsupported_media_type.
 */
export function requireJsonLines(contentType: string | undefined): void {
  const [type = ""] = (contentType ?? "").toLowerCase().split(";");
  if (LINE_TYPES.has(type.trim())) return;
  const got = contentType === undefined ? "none" : JSON.stringify(contentType.slice(0, 100));
  throw new ApiError(
    "unsupported_media_type",
    `Content-Type must be application/jsonl (or application/x-ndjson, application/json), got ${got}.`,
  );
}

/** Cache of accepted Content-Type headers. Senders use one or two different ones. */
const accepted = new Set<string>(["application/json"]);

const UTF_8 = /^charset="?utf-?8"?$/;

/**
 * Requires JSON. A page of another origin cannot send JSON without a preflight, which is refused.
 *
 * @throws `ApiError` unsupported_media_type.
 */
export function requireJson(contentType: string | undefined): void {
  if (contentType !== undefined && accepted.has(contentType)) return;
  const [type = "", ...parameters] = (contentType ?? "").toLowerCase().split(";");
  const isUtf8 = parameters
    .map((parameter) => parameter.trim())
    .every((parameter) => !parameter.startsWith("charset") || UTF_8.test(parameter));
  if (type.trim() !== "application/json" || !isUtf8) {
    const got = contentType === undefined ? "none" : JSON.stringify(contentType.slice(0, 100));
    throw new ApiError(
      "unsupported_media_type",
      `Content-Type must be application/json (in UTF-8), got ${got}.`,
    );
  }
  if (contentType !== undefined && accepted.size < 20) accepted.add(contentType);
}
