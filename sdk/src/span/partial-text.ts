import { afterBase64 } from "./partial-text-cut.js";

/** Most bytes of a partial completion. */
const MAX_BYTES = 8192;
/** Characters before the shown text that the mask gets too: a secret up to this length is masked whole. */
const MASK_CONTEXT = 8192;
/** Characters at the end of a masked text that are not shown yet: the rest of a secret with spaces may follow. */
const HELD_BACK = 64;
/** Longest block such as a private key. A longer one is treated as text. */
const MAX_BLOCK = 16_384;
/** Characters after a cut that are dropped to begin with a word. */
const MAX_WORD = 200;

const CUT = "…";
const BEGIN = "-----BEGIN ";
const END = "-----END ";
const DASHES = "-----";

/** White space, and the characters of scripts that are written without it. */
const BREAK = /[\s\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u30ff\u3400-\u9fff]/;

/**
 * The part of an unfinished completion that can be shown: its last 8 KiB, up to the last white space. An ellipsis at its
 * start tells that text before it is left out.
 *
 * A secret that is cut in half would pass a mask and the collector's redaction. The text therefore never ends inside a word,
 * neither begins nor ends inside a block such as a private key, and does not begin inside a JWT or lines of base64. The mask gets more text than is shown.
 *
 * @param mask - masks a text; undefined without a mask.
 * @returns an empty text if nothing can be shown yet.
 */
export function partialText(completion: string, mask: ((text: string) => string) | undefined): string {
  const end = beforeOpenBlock(completion, lastBreak(completion, completion.length));
  const shownFrom = end - MAX_BYTES - (mask === undefined ? 0 : MASK_CONTEXT);
  const start = afterSecret(completion, Math.max(0, shownFrom));
  if (start >= end) return "";
  const text = completion.slice(start, end);
  if (mask === undefined) return lastBytes(text, start > 0);
  const masked = mask(text).slice(start > 0 ? MASK_CONTEXT : 0);
  return lastBytes(masked.slice(0, lastBreak(masked, masked.length - HELD_BACK)), start > 0);
}

/** The index after the last break before an index; 0 if no break is near. */
function lastBreak(text: string, before: number): number {
  for (let at = before; at > 0 && at > before - MAX_BYTES; at--) if (isBreak(text, at - 1)) return at;
  return 0;
}

function isBreak(text: string, at: number): boolean {
  return BREAK.test(text.charAt(at));
}

/** The start of the block that is not closed before `end`; otherwise `end`. */
function beforeOpenBlock(text: string, end: number): number {
  const { begin, after } = blockAt(text, end);
  return begin < end && after > end ? begin : end;
}

/** The end of the block that `start` is inside; otherwise `start`. */
function afterBlock(text: string, start: number): number {
  const { begin, after } = blockAt(text, start);
  return begin < start && after > start ? after : start;
}

/** The end of the block or the base64 that a cut goes through; 0 without a cut. */
function afterSecret(text: string, cut: number): number {
  return cut === 0 ? 0 : afterBlock(text, afterBase64(text, cut));
}

/** The last block that begins at or before an index. */
function blockAt(text: string, at: number): { readonly begin: number; readonly after: number } {
  const from = Math.max(0, at - MAX_BLOCK);
  const near = text.slice(from, at + MAX_BLOCK);
  const begin = near.lastIndexOf(BEGIN, at - from);
  if (begin < 0) return { begin: at, after: at };
  const endLine = near.indexOf(END, begin);
  const close = endLine < 0 ? -1 : near.indexOf(DASHES, endLine + END.length);
  return { begin: from + begin, after: close < 0 ? Infinity : from + close + DASHES.length };
}

/** The last bytes of a text, from the start of a word. */
function lastBytes(text: string, isCut: boolean): string {
  const bytes = Buffer.from(text);
  let start = 0;
  if (bytes.length > MAX_BYTES - CUT.length * 3) {
    let first = bytes.length - MAX_BYTES + CUT.length * 3;
    // Not inside a character.
    while (((bytes[first] ?? 0) & 0xc0) === 0x80) first++;
    start = afterSecret(text, text.length - bytes.subarray(first).toString().length);
  } else if (!isCut) return text;
  const wordEnd = text.slice(start, start + MAX_WORD).search(BREAK);
  const shown = text.slice(start + Math.max(0, wordEnd)).trimStart();
  return shown === "" ? "" : CUT + shown;
}
