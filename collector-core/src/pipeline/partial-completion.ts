import { Buffer } from "node:buffer";
import { copyText } from "../span/kept-text.js";
import { afterCutSecret } from "./after-cut.js";

/** Most bytes of a text that is shown (contract 1). */
const MAX_BYTES = 8192;
/** Starts a text whose beginning is left out. */
const CUT = "…";
/** A longer text may be one that its sender has cut without an ellipsis. */
const MAX_UNCUT_BYTES = MAX_BYTES - 1024;
/**
 * Characters after a cut, and at the end, that a redacted text loses: the cut may have split a secret, whose half no pattern
 * finds. A secret with spaces may not have arrived whole.
 */
const DROPPED_AFTER_CUT = 1024;
const DROPPED_AT_END = 64;
/** Characters in which the start of a word is searched. */
const MAX_WORD = 200;

/** White space, and the characters of scripts that are written without it. */
const BREAK = /[\s\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u30ff\u3400-\u9fff]/;

/** The text of an unfinished completion that is kept: the end of what was sent. */
export function keptPartial(sent: string): string {
  return copyText(sent.length <= MAX_BYTES ? sent : CUT + sent.slice(-MAX_BYTES));
}

/**
 * The text that is shown of an unfinished completion.
 *
 * @param kept - of {@link keptPartial}.
 * @param redact - undefined if redaction is off.
 * @returns an empty text if nothing can be shown yet.
 */
export function shownPartial(kept: string, redact: ((text: string) => string) | undefined): string {
  if (redact === undefined) return lastBytes(kept);
  if (!kept.startsWith(CUT) && Buffer.byteLength(kept) <= MAX_UNCUT_BYTES)
    return lastBytes(beforeEnd(redact(kept)));
  const redacted = redact(kept.slice(afterCutSecret(kept, DROPPED_AFTER_CUT)));
  const shown = beforeEnd(redacted).slice(DROPPED_AFTER_CUT);
  return shown === "" ? "" : lastBytes(CUT + fromWord(shown));
}

function beforeEnd(redacted: string): string {
  return redacted.slice(0, lastBreak(redacted, redacted.length - DROPPED_AT_END));
}

/** The index after the last break before an index; 0 if there is none. */
function lastBreak(text: string, before: number): number {
  for (let at = before; at > 0; at--) if (BREAK.test(text.charAt(at - 1))) return at;
  return 0;
}

function lastBytes(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_BYTES) return text;
  let start = bytes.length - MAX_BYTES + Buffer.byteLength(CUT);
  // Not inside a character.
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return CUT + fromWord(bytes.subarray(start).toString());
}

function fromWord(text: string): string {
  const wordEnd = text.slice(0, MAX_WORD).search(BREAK);
  return text.slice(Math.max(0, wordEnd)).trimStart();
}
