import type { ContextDiffLine } from "../../api-schema/context.js";
import type { PieceChange } from "./compare-calls.js";
import { oneLine } from "../attributes.js";
import type { ContextPiece } from "./context-piece.js";

/** Longest line of a difference. */
const MAX_LINE = 240;
/** Characters before the change in a line that is cut. */
const BEFORE_CHANGE = 80;

/** The first difference in lines: the line before it, the line as it was, and as it is. */
export function diffLines({ before, after, start }: PieceChange): readonly ContextDiffLine[] {
  if (before === undefined || after === undefined || before.kind !== after.kind)
    return [...wholeLine("removed", before), ...wholeLine("added", after)];
  const from = before.text.lastIndexOf("\n", start - 1) + 1;
  const lineStart = start === 0 ? 0 : from;
  const number = 1 + countLineBreaks(before.text, lineStart);
  const removed = lineAt(before.text, lineStart);
  const added = lineAt(after.text, lineStart);
  const [removedRange, addedRange] = changedRanges(removed, added, start - lineStart);
  const lines: ContextDiffLine[] = [];
  if (lineStart > 0) {
    const text = before.text.slice(before.text.lastIndexOf("\n", lineStart - 2) + 1, lineStart - 1);
    lines.push({ type: "same", number: number - 1, ...cutLine(text, [0, 0]), changed: [] });
  }
  lines.push({ type: "removed", number, ...cutLine(removed, removedRange) });
  lines.push({ type: "added", number, ...cutLine(added, addedRange) });
  return lines;
}

/** The differences between two lists of tools: what was removed, added, or is defined otherwise. */
export function diffTools(
  before: readonly ContextPiece[],
  after: readonly ContextPiece[],
  change: PieceChange,
): readonly ContextDiffLine[] {
  const nameOf = ({ label, text }: ContextPiece): string => label ?? oneLine(text, 40);
  const earlier = before.filter(({ kind }) => kind === "tools");
  const later = after.filter(({ kind }) => kind === "tools");
  const had = new Set(earlier.map(nameOf));
  const has = new Set(later.map(nameOf));
  const lines = [
    ...earlier.filter((tool) => !has.has(nameOf(tool))).flatMap((tool) => wholeLine("removed", tool)),
    ...later.filter((tool) => !had.has(nameOf(tool))).flatMap((tool) => wholeLine("added", tool)),
  ];
  if (lines.length > 0) return lines.slice(0, MAX_TOOLS);
  return change.before?.label === change.after?.label
    ? diffLines(change)
    : [...wholeLine("removed", change.before), ...wholeLine("added", change.after)];
}

const MAX_TOOLS = 8;

function wholeLine(type: "removed" | "added", piece: ContextPiece | undefined): ContextDiffLine[] {
  if (piece === undefined) return [];
  const text = piece.kind === "images" ? `image ${piece.label ?? ""}`.trim() : piece.text;
  return [{ type, number: null, text: oneLine(text, MAX_LINE), changed: [] }];
}

function lineAt(text: string, from: number): string {
  const end = text.indexOf("\n", from);
  return text.slice(from, end < 0 ? text.length : end);
}

function countLineBreaks(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

const WORD = /[\p{L}\p{N}]/u;

/** Where two lines differ, extended to whole words. */
function changedRanges(a: string, b: string, start: number): [[number, number], [number, number]] {
  let from = Math.min(start, a.length, b.length);
  let end = 0;
  const most = Math.min(a.length, b.length) - from;
  while (end < most && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  while (from > 0 && WORD.test(a[from - 1] ?? "") && isInWord(a, b, from)) from--;
  while (end > 0 && WORD.test(a[a.length - end] ?? "") && isInWord(a, b, a.length - end, b.length - end))
    end--;
  return [
    [from, a.length - end],
    [from, b.length - end],
  ];
}

/** Whether a change that begins or ends here is inside a word of one of the lines. */
function isInWord(a: string, b: string, inA: number, inB = inA): boolean {
  return [
    [a, inA],
    [b, inB],
  ].some(([line, at]) => {
    const [text, index] = [line as string, at as number];
    return WORD.test(text[index] ?? "") && WORD.test(text[index - 1] ?? "");
  });
}

/** A long line is cut around the change. */
function cutLine(
  line: string,
  [from, to]: readonly [number, number],
): Pick<ContextDiffLine, "text" | "changed"> {
  const isWhole = line.length <= MAX_LINE;
  const start = isWhole ? 0 : Math.max(0, from - BEFORE_CHANGE);
  const before = start > 0 ? "…" : "";
  const text = before + line.slice(start, start + MAX_LINE - before.length);
  const shift = before.length - start;
  const changed = [from + shift, Math.min(to + shift, text.length)];
  return { text: text.toWellFormed(), changed: from < to ? changed : [] };
}
