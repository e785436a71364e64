import { maskUrls, maskUserInfo } from "./mask-credentials.js";
import type { Option } from "./option.js";
import { HIDDEN, showRaw } from "./show-value.js";

/** The raw text of an option for a problem, without credentials. */
export function quoted({ secret, kind }: Pick<Option, "secret" | "kind">, raw: string): string {
  if (secret) return HIDDEN;
  // Mask before truncating: the character that marks a credential may be in the truncated part.
  return showRaw(kind.quote === undefined ? maskUserInfo(raw) : kind.quote(raw));
}

/** The value of an option as it is displayed, without secrets. */
export function shownValue({ secret }: Pick<Option, "secret">, value: unknown): unknown {
  return secret && !isUnset(value) ? HIDDEN : maskUrls(value);
}

/** An unset secret is shown as unset. */
function isUnset(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === undefined;
  return Object.keys(value).length === 0;
}
