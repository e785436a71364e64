import { ApiError } from "../contract/errors.js";

/** Content types that were found good: senders use one or two, and they are read for every request. */
const accepted = new Set<string>(["application/json"]);

const UTF_8 = /^charset="?utf-?8"?$/;

/**
 * Requires JSON. A page of another origin can then not send a batch without a preflight, which is refused.
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
