import type { OptionKind } from "./option-kinds.js";
import { HIDDEN } from "./show-value.js";

/** What a URL with nothing in it but scheme, host, port and path looks like. */
const PLAIN = /^(?:[a-z][a-z0-9+.-]*:\/\/)?[\w.-]+(?::\d{1,5})?(?:\/[\w./-]*)?$/i;
const HTTP = /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/;
const ORIGIN = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^\s/?#@]+\/?$/;

/**
 * The base URL of a service. It holds no credential: user info is none that `fetch` would send, a path cannot be added
 * behind a query, and the configuration is shown to whoever may read the traces.
 */
export function baseUrl(): OptionKind<string> {
  return urlKind("an http or https URL without user name, password, query or fragment", HTTP);
}

/** An origin as browsers send it. */
export function origin(): OptionKind<string> {
  return urlKind("an origin such as https://example.com, without user name, password or path", ORIGIN);
}

function urlKind(rule: string, pattern: RegExp): OptionKind<string> {
  return {
    rule,
    schema: { type: "string", pattern: pattern.source },
    parse: (text) => text,
    check: (value) =>
      typeof value === "string" && pattern.test(value) && URL.canParse(value)
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
