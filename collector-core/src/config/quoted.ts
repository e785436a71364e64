import { maskUrls, maskUserInfo } from "./mask-credentials.js";
import type { Option } from "./option.js";
import { HIDDEN, showRaw } from "./show-value.js";

/** What was written for an option, as it stands in a problem: nothing of it may be a credential. */
export function quoted({ secret, kind }: Pick<Option, "secret" | "kind">, raw: string): string {
  if (secret) return HIDDEN;
  // Masked before it is cut: what marks a credential may be in the part that is cut off.
  return showRaw(kind.quote === undefined ? maskUserInfo(raw) : kind.quote(raw));
}

/** A value of an option as it is shown wherever values are. */
export function shownValue({ secret }: Pick<Option, "secret">, value: unknown): unknown {
  return secret && !isUnset(value) ? HIDDEN : maskUrls(value);
}

/** Whether there is a secret is none. */
function isUnset(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === undefined;
  return Object.keys(value).length === 0;
}
