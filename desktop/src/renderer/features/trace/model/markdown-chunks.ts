import { isSlowToRead } from "./markdown-cost.js";
import { MarkdownFences } from "./markdown-fences.js";

/** A piece of Markdown; one that would take long to read is shown as it came. */
export interface MarkdownChunk {
  readonly text: string;
  readonly isPlain: boolean;
}

/** Reading takes some 15 ms a kilobyte: a piece is read in less than a blink. */
const SIZE = 3000;
/** A block that is longer than this cannot be cut, and is not read. */
const MAX_BLOCK = 6000;

/** Lines that do not begin a block of their own after an empty line: parts of lists and indented code. */
const CONTINUES = /^(?:\s|[*+-] |\d+[.)] )/;

/**
 * Cuts Markdown between blocks, so that a long text can be read and drawn piece by piece. Lists, tables and fenced code
 * stay whole.
 */
export function markdownChunks(text: string): MarkdownChunk[] {
  const pieces: string[] = [];
  const fences = new MarkdownFences();
  let start = 0;
  let isAfterEmpty = false;
  for (let at = 0; at < text.length;) {
    const end = lineEnd(text, at);
    const line = text.slice(at, Math.min(end, at + 200));
    if (!fences.isOpen && isAfterEmpty && at - start >= SIZE && !CONTINUES.test(line)) {
      pieces.push(text.slice(start, at));
      start = at;
    }
    fences.isCode(line);
    isAfterEmpty = line.trim() === "";
    at = end;
  }
  if (start < text.length) pieces.push(text.slice(start));
  return pieces.map((piece) => ({
    text: piece,
    isPlain: piece.length > MAX_BLOCK || isSlowToRead(piece),
  }));
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}
