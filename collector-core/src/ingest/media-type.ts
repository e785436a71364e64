import { ApiError } from "../contract/errors.js";

/** Content types that were found good: senders use one or two, and they are read for every request. */
const accepted = new Set<string>(["application/json"]);

/**
 * Requires JSON. A page of another origin can then not send a batch without a preflight, which is refused.
 *
 * @throws `ApiError` unsupported_media_type.
 */
export function requireJson(contentType: string | undefined): void {
  if (contentType !== undefined && accepted.has(contentType)) return;
  const [type = "", ...parameters] = (contentType ?? "").toLowerCase().split(";");
  const charset = parameters.map((parameter) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/.exec(parameter)?.[1]);
  const isUtf8 = charset.every((name) => name === undefined || name === "utf-8" || name === "utf8");
  if (type.trim() !== "application/json" || !isUtf8) {
    const got = contentType === undefined ? "none" : JSON.stringify(contentType.slice(0, 100));
    throw new ApiError(
      "unsupported_media_type",
      `Content-Type must be application/json (in UTF-8), got ${got}.`,
    );
  }
  if (contentType !== undefined && accepted.size < 20) accepted.add(contentType);
}
