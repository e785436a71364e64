import type { TruncatedText } from "../api-schema/trace.js";
import { BACKSLASH } from "../span/json-bytes.js";
import { truncateCodePoints } from "../span/kept-text.js";
import type { JsonRange } from "../span/span-outline.js";
import type { Steps } from "../runtime/steps.js";
import type { TextLimit } from "./shorten-texts.js";

/** Bytes per step. */
const STEP_BYTES = 128 * 1024;
const LOWER_U = 0x75;
/** Length of `\uXXXX`. */
const ESCAPE_BYTES = 6;

/**
 * Reads the preview of a string from the bytes of JSON; undefined if the string is short.
 *
 * @param range - the string with its quotes.
 */
export function* previewInSteps(
  json: Buffer,
  range: JsonRange,
  { maxBytes, previewLength }: TextLimit,
): Steps<TruncatedText | undefined> {
  const { start, end } = range;
  const bytes = yield* textBytes(json, start + 1, end - 1);
  if (bytes <= maxBytes) return undefined;
  const beginning = json.toString("utf8", start + 1, previewEnd(json, start + 1, end - 1, previewLength));
  const preview = truncateCodePoints(JSON.parse(`"${beginning}"`) as string, previewLength);
  return { truncated: true, bytes, preview };
}

/** Length of a string in UTF-8, unescaped. */
function* textBytes(json: Buffer, start: number, end: number): Steps<number> {
  if (!json.subarray(start, end).includes(BACKSLASH)) return end - start;
  let bytes = 0;
  let stepEnd = start + STEP_BYTES;
  for (let at = start; at < end;) {
    if (at >= stepEnd) {
      yield;
      stepEnd = at + STEP_BYTES;
    }
    const length = escapeLength(json, at);
    bytes += length < ESCAPE_BYTES ? 1 : escapedBytes(json, at);
    at += length;
  }
  return bytes;
}

/** Bytes of the escape at a position; 1 for a byte that starts no escape. */
function escapeLength(json: Buffer, at: number): number {
  if (json[at] !== BACKSLASH) return 1;
  if (json[at + 1] !== LOWER_U) return 2;
  return isPair(json, at) ? 2 * ESCAPE_BYTES : ESCAPE_BYTES;
}

/** Length in UTF-8 of a character that is written as one `\uXXXX` or as a pair. */
function escapedBytes(json: Buffer, at: number): number {
  const unit = unitAt(json, at);
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  // A lone surrogate becomes U+FFFD.
  return isPair(json, at) ? 4 : 3;
}

function isPair(json: Buffer, at: number): boolean {
  if (!isIn(unitAt(json, at), 0xd800, 0xdbff)) return false;
  if (json[at + 6] !== BACKSLASH || json[at + 7] !== LOWER_U) return false;
  return isIn(unitAt(json, at + ESCAPE_BYTES), 0xdc00, 0xdfff);
}

function isIn(value: number, first: number, last: number): boolean {
  return value >= first && value <= last;
}

function unitAt(json: Buffer, at: number): number {
  return Number.parseInt(json.toString("latin1", at + 2, at + ESCAPE_BYTES), 16);
}

/** End of a prefix with at least the characters of a preview. Each character has one or two UTF-16 units. */
function previewEnd(json: Buffer, start: number, end: number, length: number): number {
  let units = 0;
  for (let at = start; at < end; at += escapeLength(json, at)) {
    const isContinuation = ((json[at] ?? 0) & 0xc0) === 0x80;
    if (!isContinuation && ++units > 2 * length) return at;
  }
  return end;
}
