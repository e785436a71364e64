import type { TextMatch } from "./pattern.js";

/** The header of a YAML block scalar, and its first line. In JSON the line break is an escape. */
const BLOCK = /[|>][-+\d]{0,2}[ \t]{0,4}(?:\r?\n|\\n)([ \t]{1,40})([^\s"\\]{1,512})/y;
const LINE_BREAK = /\r?\n|\\n/y;
const LINE = /[^\s"\\]{1,512}/y;
const MAX_LINES = 64;
/** Number of characters before a name that are searched for the beginning of its line. */
const INDENT_LENGTH = 200;
const INDENT = /(?:^|[\r\n]|\\n)([ \t]*)(?:\S[^\r\n]*)?$/;
const END_OF_LINE = /[ \t]{0,4}(?:["\\\r\n]|$)/y;

/** Returns the lines of a YAML block scalar at `start`. Only lines without spaces count: a sentence is not a secret. */
export function blockScalarAt(text: string, nameStart: number, start: number): TextMatch | undefined {
  BLOCK.lastIndex = start;
  const block = BLOCK.exec(text);
  if (block === null) return undefined;
  const [, indent = "", first = ""] = block;
  const line = INDENT.exec(text.slice(Math.max(0, nameStart - INDENT_LENGTH), nameStart));
  if (indent.length <= (line?.[1]?.length ?? 0)) return undefined;
  let end = BLOCK.lastIndex;
  if (!endsLine(text, end)) return undefined;
  for (let lines = 1; lines < MAX_LINES; lines++) {
    LINE_BREAK.lastIndex = end;
    if (!LINE_BREAK.test(text) || !text.startsWith(indent, LINE_BREAK.lastIndex)) break;
    LINE.lastIndex = LINE_BREAK.lastIndex + indent.length;
    if (!LINE.test(text) || !endsLine(text, LINE.lastIndex)) break;
    end = LINE.lastIndex;
  }
  return { start: BLOCK.lastIndex - first.length, end };
}

function endsLine(text: string, at: number): boolean {
  END_OF_LINE.lastIndex = at;
  return END_OF_LINE.test(text);
}
