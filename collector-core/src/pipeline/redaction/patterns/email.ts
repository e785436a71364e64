import { escapeLengthBefore, isDigit, isWordCharacter } from "../boundaries.js";
import { builtIn, type TextMatch } from "../pattern.js";
import { FEATURE } from "../text-features.js";

/** More than the longest address: 64 characters before the `@` and 253 after it. */
const MAX_LENGTH = 320;
const LETTER = /[\p{L}\p{N}\p{M}]/u;
const LAST_LABEL = /^(?:\p{L}[\p{L}\p{M}]+|xn--[a-z0-9-]{2,59})$/iu;
/** `pkg@1.2.3-beta.rc`, `logo@2x.png`. */
const VERSION_OR_SCALE = /^(?:\d+\.\d+|\dx\.)/;

/** Email addresses in any script. The search extends from each `@`, or `%40` in a URL, in both directions. */
export const email = builtIn({ name: "email", needs: FEATURE.at, find: findAddresses });

function findAddresses(text: string): TextMatch[] {
  const found: TextMatch[] = [];
  let previousEnd = 0;
  let plain = text.indexOf("@");
  let escaped = text.indexOf("%40");
  while (plain >= 0 || escaped >= 0) {
    const isPlain = plain >= 0 && (escaped < 0 || plain < escaped);
    const at = isPlain ? plain : escaped;
    const behind = isPlain ? at + 1 : at + 3;
    if (isPlain) plain = text.indexOf("@", behind);
    else escaped = text.indexOf("%40", behind);
    const end = domainEnd(text, behind);
    if (end === undefined) continue;
    const start = localStart(text, at, previousEnd);
    if (start === at || isGitRemote(text, start, at, end)) continue;
    found.push({ start, end });
    previousEnd = end;
  }
  return found;
}

/** Returns the start of the part before the `@`, or `at` when that part is empty. */
function localStart(text: string, at: number, notBefore: number): number {
  let start = at;
  const limit = Math.max(notBefore, at - MAX_LENGTH);
  while (start > limit && isLocal(text.charCodeAt(start - 1)) && !isScriptChange(text, start - 1, start))
    start--;
  // Excludes the letter of an escape: `\nalice@example.com`.
  for (let inside = start; inside <= start + 5 && inside < at; inside++) {
    const length = escapeLengthBefore(text, inside);
    if (length > 0 && inside - length < start) {
      start = inside;
      break;
    }
  }
  while (start < at && !isLetterOrDigit(text.charCodeAt(start)) && text[start] !== "_") start++;
  return start;
}

/** Returns the end of the domain, which is its last possible top-level domain; undefined without one. */
function domainEnd(text: string, start: number): number | undefined {
  let end: number | undefined;
  let label = start;
  const limit = Math.min(text.length, start + MAX_LENGTH);
  for (let at = start; ; at++) {
    const isInside =
      at < limit && isDomain(text.charCodeAt(at)) && !(at > label && isScriptChange(text, at, at - 1));
    if (isInside) continue;
    let labelEnd = at;
    while (labelEnd > label && isHyphen(text.charCodeAt(labelEnd - 1))) labelEnd--;
    if (labelEnd === label) break;
    if (label > start && LAST_LABEL.test(text.slice(label, labelEnd))) end = labelEnd;
    if (text[at] !== "." || at >= limit) break;
    label = at + 1;
  }
  const mayBeVersion = isDigit(text.charCodeAt(start));
  return mayBeVersion && end !== undefined && VERSION_OR_SCALE.test(text.slice(start, end)) ? undefined : end;
}

/** True for a Git remote, which is not an address: `git@github.com:owner/repository`. */
function isGitRemote(text: string, start: number, at: number, end: number): boolean {
  return text.slice(start, at) === "git" && (text[end] === ":" || text[end] === "/");
}

const LOCAL_SYMBOLS = new Set(Array.from(".+-'", (symbol) => symbol.charCodeAt(0)));

function isLocal(code: number): boolean {
  return isLetterOrDigit(code) || code === 0x5f || LOCAL_SYMBOLS.has(code);
}

function isDomain(code: number): boolean {
  return isLetterOrDigit(code) || isHyphen(code);
}

function isHyphen(code: number): boolean {
  return code === 0x2d || code === 0x5f;
}

function isLetterOrDigit(code: number): boolean {
  if (code < 0x80) return isWordCharacter(code) && code !== 0x5f;
  return LETTER.test(String.fromCharCode(code));
}

/** True between East Asian and ASCII characters, where text has no space around an address. */
function isScriptChange(text: string, at: number, neighbour: number): boolean {
  return isEastAsian(text.charCodeAt(at)) && isWordCharacter(text.charCodeAt(neighbour));
}

function isEastAsian(code: number): boolean {
  return (code >= 0x0e00 && code <= 0x0eff) || (code >= 0x2e80 && code <= 0xd7ff) || code >= 0xf900;
}
