import { isSlowToRead } from "./markdown-cost.js";
import { MarkdownFences } from "./markdown-fences.js";

/** A chunk of Markdown. A chunk that would parse slowly is shown as plain text. */
export interface MarkdownChunk {
  readonly text: string;
  readonly isPlain: boolean;
}

/** Parsing takes about 15 ms per kilobyte. */
const SIZE = 3000;
/** A longer block cannot be split, and is not parsed. */
const MAX_BLOCK = 6000;

/** Lines that continue a block after an empty line: parts of lists and indented code. */
const CONTINUES = /^(?:\s|[*+-] |\d+[.)] )/;

/**
 * Splits Markdown between blocks, so that a long text can be parsed and rendered in chunks. Lists, tables and fenced
 * code stay together.
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
