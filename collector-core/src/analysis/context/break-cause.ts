import type { CacheBreakCause } from "../../api-schema/context.js";
import type { PieceChange } from "./compare-calls.js";

/** A cache that was not read for this time has expired. It is the shortest time that a provider keeps one. */
const CACHE_LIFE_MS = 5 * 60_000;

/**
 * Why the cache was not read: what differs first, as far as the texts tell. If they are equal, the time since the call before
 * tells.
 *
 * @param gapMs - from the end of the call before to the start of this one.
 */
export function causeOf(change: PieceChange | undefined, gapMs: number): CacheBreakCause {
  if (change === undefined) return gapMs > CACHE_LIFE_MS ? "expired" : "unknown";
  const kinds = [change.before?.kind, change.after?.kind];
  if (kinds.includes("tools")) return "tool_list";
  const [before, after] = kinds;
  if (before !== after) return kinds.includes("system") ? "system_prompt" : "history";
  if (before === "system") return causeInSystem(change);
  return before === "memory" || before === "retrieved" ? before : "history";
}

/** Characters around a change in which a date, an id or a number is searched. */
const AROUND = 40;
const CLOCK = /\d{1,2}:\d{2}/;
const DATE =
  /\d{4}-\d{2}-\d{2}|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\b/i;
const EPOCH = /^1\d{9}(?:\d{3})?$/;
const ID = /^[0-9a-f-]{8,64}$/i;
const NUMBER = /^\d[\d,. ]{0,20}$/;

function causeInSystem({ before, after, start, end }: PieceChange): CacheBreakCause {
  const a = changedWord(before?.text ?? "", start, end);
  const b = changedWord(after?.text ?? "", start, end);
  if (!/\d/.test(a.word + b.word) && !DATE.test(a.word) && !DATE.test(b.word)) return "system_prompt";
  // More than a date or a number differs.
  if (a.word.length > AROUND || b.word.length > AROUND) return "system_prompt";
  if (isTime(a) && isTime(b)) return "timestamp";
  if (ID.test(a.word) && ID.test(b.word) && !(NUMBER.test(a.word) && NUMBER.test(b.word))) return "id";
  return NUMBER.test(a.word) && NUMBER.test(b.word) ? "number" : "system_prompt";
}

/** Signs between words. */
const BOUNDARY = new Set(" \t\r\n\"'=<>()[]".split(""));

interface ChangedWord {
  /** What differs, extended to the white space around it. */
  readonly word: string;
  /** The line around it, as far as it is near. */
  readonly near: string;
}

function changedWord(text: string, start: number, end: number): ChangedWord {
  const to = text.length - end;
  const lineStart = Math.max(start - AROUND, text.lastIndexOf("\n", start - 1) + 1, 0);
  const lineBreak = text.indexOf("\n", to);
  const lineEnd = Math.min(to + AROUND, lineBreak < 0 ? text.length : lineBreak);
  let from = start;
  while (from > lineStart && !BOUNDARY.has(text[from - 1] ?? "")) from--;
  let wordEnd = to;
  while (wordEnd < lineEnd && !BOUNDARY.has(text[wordEnd] ?? "")) wordEnd++;
  const word = text.slice(from, Math.max(from, wordEnd)).replace(/[.,;:]$/, "");
  return { word, near: text.slice(lineStart, Math.max(lineEnd, to)) };
}

/** The changed word is a part of a time or of a date. */
function isTime({ word, near }: ChangedWord): boolean {
  if (CLOCK.test(word) || DATE.test(word) || EPOCH.test(word)) return true;
  return /^\d{1,4},?$/.test(word) && DATE.test(near);
}
