import { readQueryTerms } from "./query-terms.js";

/** `key:value` as a term of a query, quoted where necessary. @param key - `@…` for an attribute. */
export function formatQueryTerm(key: string, values: readonly string[], isNegated = false): string {
  const name = key.startsWith("@") ? `@${formatAttributeKey(key.slice(1))}` : key;
  return `${isNegated ? "-" : ""}${name}:${values.map(formatQueryValue).join(",")}`;
}

/** A value of a key that is taken literally. */
export function formatQueryValue(value: string): string {
  // `key://…` is a URL.
  const isOther = value === "*" || value.startsWith("//") || value.includes("..");
  const isBare = !isOther && /^[^\s"\\,<>]+$/.test(value);
  return isBare ? value : quoteQueryText(value);
}

/** A text as one term, quoted if it would be read as several, or as something else. */
export function formatQueryText(text: string): string {
  const terms = readQueryTerms(text);
  const isOne = terms.length === 1 && terms[0]?.key === undefined && !terms[0]?.isNegated;
  return isOne && !/[\s"\\]/.test(text) ? text : quoteQueryText(text);
}

/** A text in quotes. */
export function quoteQueryText(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

function formatAttributeKey(key: string): string {
  return /^[^\s:"]+$/.test(key) ? key : quoteQueryText(key);
}
