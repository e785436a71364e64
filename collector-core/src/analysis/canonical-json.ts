import { isRecord, isTruncated, parseJsonText } from "./values.js";

/** JSON with sorted keys, without spaces: equal for equal values, however they were written. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value ?? null);
  const fields = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`);
  return `{${fields.join(",")}}`;
}

/** Whether two values of JSON are equal, with their fields in the same order. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  const others = Object.keys(b);
  if (keys.length !== others.length) return false;
  const [inA, inB] = [a as Fields, b as Fields];
  return keys.every((key, index) => key === others[index] && isSameJson(inA[key], inB[key]));
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The canonical JSON of arguments or of a result. Some senders write a value, others its JSON text, and others a list with one
 * part of text: all are equal.
 */
export function canonicalData(value: unknown): string {
  return canonicalJson(plainData(value));
}

function plainData(value: unknown): unknown {
  if (typeof value === "string") return parsedText(value);
  const texts = Array.isArray(value) ? textsOf(value) : undefined;
  return texts === undefined ? value : parsedText(texts.join(""));
}

function textsOf(parts: readonly unknown[]): readonly string[] | undefined {
  const texts: string[] = [];
  for (const part of parts) {
    if (!isRecord(part) || part["type"] !== "text" || isTruncated(part)) return undefined;
    const text = part["text"] ?? part["content"];
    if (typeof text !== "string") return undefined;
    texts.push(text);
  }
  return texts.length > 0 ? texts : undefined;
}

/** JSON of a number, a word or a short text. */
const SCALAR = /^(?:-?\d{1,15}(?:\.\d{1,15})?|true|false|null|"(?:[^"\\]|\\.)*")$/;
const MAX_SCALAR = 1000;

function parsedText(text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === "") return "";
  if (trimmed.length > MAX_SCALAR || !SCALAR.test(trimmed)) return parseJsonText(trimmed) ?? trimmed;
  try {
    return JSON.parse(trimmed);
  } catch {
    return trimmed;
  }
}
