import { MarkdownFences } from "./markdown-fences.js";

/** Characters that make the Markdown parser search back through the paragraph. */
const MARKS = new Set("*_~`[]!<@");
/** Marks of one paragraph that parse in about 100 ms. The time grows with their square. */
const MAX_MARKS = 1000;
/** Quotes and list items in one chunk. The parser builds an element for each. */
const MAX_CONTAINERS = 1000;
/** Nested quotes and list items. Each level is parsed again for each line. */
const MAX_DEPTH = 24;
/** Columns times rows of a table. The parser pads short rows, so that a short text can require a million cells. */
const MAX_CELLS = 4000;

/** Lines that turn the line above into a heading. The parser goes back through the chunk for each. */
const MAX_UNDERLINES = 300;

const LINE_END = /\r\n?|\n/;
const CONTAINER = /[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])(?=[ \t]|$))/y;
/** Largest extra indentation of a list item; with more it continues the paragraph. */
const MAX_INDENT = 5;
const UNDERLINE = /^[ \t]*(?:=+|-+)[ \t]*$/;
const DELIMITER_ROW = /^[\s|:-]+$/;

/**
 * Whether parsing a chunk of Markdown would block the page. The estimate itself takes linear time; chunks are short,
 * which bounds the cost if it is wrong.
 */
export function isSlowToRead(markdown: string): boolean {
  const cost = new MarkdownCost();
  for (const line of markdown.split(LINE_END)) cost.add(line);
  return cost.isTooHigh();
}

class MarkdownCost {
  readonly #fences = new MarkdownFences();
  /** Sum of the squared marks of each finished paragraph. */
  #squares = 0;
  #marks = 0;
  #containers = 0;
  #depth = 0;
  #cells = 0;
  #underlines = 0;

  // State since the last empty line.
  #lines = 0;
  #maxPipes = 0;
  #pipesAbove = 0;
  #itemIndent = 0;
  #isTable = false;

  add(line: string): void {
    if (this.#fences.isCode(line)) return;
    if (line.trim() === "") {
      this.#endBlock();
      return;
    }
    if (UNDERLINE.test(line)) this.#underlines++;
    const { depth, isItem } = containersOf(line);
    this.#containers += depth;
    this.#depth = Math.max(this.#depth, depth);
    const indent = line.length - line.trimStart().length;
    if (this.#isTable || (isItem && indent <= this.#itemIndent + MAX_INDENT)) {
      this.#endParagraph();
      this.#itemIndent = indent;
    }
    this.#countMarks(line);
  }

  isTooHigh(): boolean {
    this.#endBlock();
    return (
      this.#squares > MAX_MARKS ** 2 ||
      this.#containers > MAX_CONTAINERS ||
      this.#depth >= MAX_DEPTH ||
      this.#cells > MAX_CELLS ||
      this.#underlines > MAX_UNDERLINES
    );
  }

  #countMarks(line: string): void {
    let pipes = 0;
    for (const character of line) {
      if (character === "|") pipes++;
      else if (MARKS.has(character)) this.#marks++;
    }
    if (pipes > 0 && pipes === this.#pipesAbove && DELIMITER_ROW.test(line)) this.#isTable = true;
    this.#pipesAbove = pipes;
    this.#maxPipes = Math.max(this.#maxPipes, pipes);
    this.#lines++;
  }

  #endParagraph(): void {
    this.#squares += this.#marks ** 2;
    this.#marks = 0;
  }

  #endBlock(): void {
    this.#endParagraph();
    this.#cells += this.#maxPipes * this.#lines;
    this.#lines = 0;
    this.#maxPipes = 0;
    this.#pipesAbove = 0;
    this.#itemIndent = 0;
    this.#isTable = false;
  }
}

/** The quotes and list items that a line starts, and whether the first is a list item. */
function containersOf(line: string): { readonly depth: number; readonly isItem: boolean } {
  let depth = 0;
  let isItem = false;
  CONTAINER.lastIndex = 0;
  for (let match = CONTAINER.exec(line); match !== null; match = CONTAINER.exec(line)) {
    if (depth++ === 0) isItem = !match[0].endsWith(">");
  }
  return { depth, isItem };
}
