import { copyText, truncateCodePoints } from "./kept-text.js";

/** The six categories of the `error_type` label (spec 7, contract 4). The attribute keeps the raw class. */
export const ERROR_CATEGORIES = [
  "timeout",
  "rate_limit",
  "authentication",
  "invalid_request",
  "provider",
  "internal",
] as const;

/** One of {@link ERROR_CATEGORIES}. */
export type ErrorCategory = (typeof ERROR_CATEGORIES)[number];

/**
 * Patterns for an error class, an error code or an HTTP status. The first match wins. Senders write
 * `RateLimitError`, `rate_limit_exceeded`, `429`, `ETIMEDOUT`, `openai.APITimeoutError`.
 */
const PATTERNS: readonly (readonly [ErrorCategory, RegExp])[] = [
  ["rate_limit", /rate.?limit|too.?many.?requests|throttl|quota|resource.?exhausted|\b429\b/],
  ["timeout", /time.?(?:d.?)?out|deadline.?exceeded|\b(?:408|504)\b|\btimeout/],
  [
    "authentication",
    /authenticat|authori[sz]|\bauth\b|permission.?denied|forbidden|access.?denied|invalid.?api.?key|credential|\b40[13]\b/,
  ],
  [
    "provider",
    /overloaded|unavailable|internal.?server|server.?error|bad.?gateway|conn(?:ection)?.?(?:refused|reset|error|aborted|closed)|econn|epipe|enotfound|eai_again|socket|fetch.?failed|network|api.?connection|upstream|\b5\d\d\b/,
  ],
  [
    "invalid_request",
    /bad.?request|invalid.?(?:request|argument|prompt|value|parameter|type)|unprocessable|not.?found|context.?length|validation|unsupported|content.?filter|\b4\d\d\b/,
  ],
];

/** Cache size in classes. When the cache is full, further classes are matched each time. */
const CACHE_SIZE = 1000;
/** Matches only this many characters, to limit the scan of a large `error_type`. Longer classes are not cached. */
const MATCHED_LENGTH = 200;

/** Shared by the process: the category depends on the class alone. Holds at most 1000 × 200 characters. */
const cache = new Map<string, ErrorCategory>();

/** Returns the category of an error class; `internal` if no pattern matches. */
export function errorCategory(errorType: string): ErrorCategory {
  const known = cache.get(errorType);
  if (known !== undefined) return known;
  const category = categorise(truncateCodePoints(errorType, MATCHED_LENGTH));
  if (cache.size < CACHE_SIZE && errorType.length <= MATCHED_LENGTH) cache.set(copyText(errorType), category);
  return category;
}

/** An HTTP status at the start of a message, as written by the clients of OpenAI and Anthropic: `Error: 404 …`. */
const STATUS_IN_MESSAGE = /^(?:\w*Error: )?([45]\d\d)\b/;

/**
 * Returns the category of a failed span. For a generic class (`Error`, `AI_RetryError`) it uses the HTTP status of the
 * provider's response, from an attribute or the message.
 */
export function errorCategoryOf(
  errorType: string,
  attributes: Readonly<Record<string, unknown>>,
): ErrorCategory {
  const byType = errorCategory(errorType);
  if (byType !== "internal" || errorType === "internal") return byType;
  const status = attributes["http.response.status_code"];
  if (typeof status === "number" && status >= 400) return errorCategory(String(status));
  const message = attributes["error_message"];
  const inMessage =
    typeof message === "string" ? STATUS_IN_MESSAGE.exec(truncateCodePoints(message, 64))?.[1] : undefined;
  return inMessage === undefined ? byType : errorCategory(inMessage);
}

function categorise(errorType: string): ErrorCategory {
  const text = errorType.toLowerCase();
  for (const category of ERROR_CATEGORIES) if (text === category) return category;
  for (const [category, pattern] of PATTERNS) if (pattern.test(text)) return category;
  return "internal";
}
