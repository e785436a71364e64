import { MAX_TEXT_LENGTH, type OptionKind } from "./option-kinds.js";
import { HIDDEN } from "./show-value.js";

/** A URL that contains only scheme, host, port and path. */
const PLAIN = /^(?:[a-z][a-z0-9+.-]*:\/\/)?[\w.-]+(?::\d{1,5})?(?:\/[\w./-]*)?$/i;
const HTTP = /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/;
const REDIS = /^rediss?:\/\/(?:[^\s/?#@]*@)?[^\s/?#@]+(?:\/\d{1,3})?\/?$/;
const ORIGIN = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^\s/?#@]+\/?$/;

/**
 * The base URL of a service. User info is rejected: `fetch` does not send it, and everybody who may read traces can
 * read the configuration. A query is rejected since a path cannot be appended to it.
 */
export function baseUrl(): OptionKind<string> {
  return urlKind("an http or https URL without user name, password, query or fragment", HTTP);
}

/** The address of Redis. It may have user info, so that its option is a secret. */
export function redisUrl(): OptionKind<string> {
  const kind = urlKind(
    "redis://host:port/database or rediss://… (TLS), with user:password@ in percent-encoding if needed",
    REDIS,
  );
  return {
    ...kind,
    check(value) {
      const reading = kind.check(value);
      return reading.ok && !isDecodable(reading.value) ? { ok: false, detail: "" } : reading;
    },
  };
}

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== "";
  } catch {
    return false;
  }
}

/** A web origin as browsers send it. */
export function origin(): OptionKind<string> {
  return urlKind("an origin such as https://example.com, without user name, password or path", ORIGIN);
}

function urlKind(rule: string, pattern: RegExp): OptionKind<string> {
  return {
    rule,
    schema: { type: "string", pattern: pattern.source, maxLength: MAX_TEXT_LENGTH },
    parse: (text) => text,
    check: (value) =>
      typeof value === "string" &&
      value.length <= MAX_TEXT_LENGTH &&
      pattern.test(value) &&
      URL.canParse(value)
        ? { ok: true, value }
        : { ok: false, detail: "" },
    quote(raw) {
      const text = raw.trim().replace(/^(["'])(.*)\1$/s, "$2");
      if (PLAIN.test(text)) return raw;
      if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return HIDDEN;
      const { protocol, username, password, host, pathname, search, hash } = new URL(text);
      const userInfo = username === "" && password === "" ? "" : `${HIDDEN}@`;
      const hidden = (part: string): string => (part === "" ? "" : part.slice(0, 1) + HIDDEN);
      return `${protocol}//${userInfo}${host}${pathname}${hidden(search)}${hidden(hash)}`;
    },
  };
}
