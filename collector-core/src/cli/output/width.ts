import measure from "fast-string-truncated-width";

const ASCII = /^[\u0020-\u007e]*$/;
let graphemes: Intl.Segmenter | undefined;

/** Columns that a text takes in a terminal: two for wide characters and emoji, none for combining ones. */
export function widthOf(text: string): number {
  return ASCII.test(text) ? text.length : measure(text).width;
}

/** A text in at most so many columns; a longer one ends with an ellipsis. */
export function truncate(text: string, columns: number): string {
  // Few texts are that long: most are not measured twice.
  if (text.length * 2 <= columns || widthOf(text) <= columns) return text;
  return `${beginning(text, columns - 1)}…`;
}

/** The beginning of a text: as many whole characters as fit. The library cuts too late behind some scripts. */
export function beginning(text: string, columns: number): string {
  if (ASCII.test(text)) return text.slice(0, Math.max(columns, 0));
  graphemes ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  let width = 0;
  for (const { segment, index } of graphemes.segment(text)) {
    width += widthOf(segment);
    if (width > columns) return text.slice(0, index);
  }
  return text;
}
