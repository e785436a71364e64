/**
 * What a tool answers. Titles, columns and notes are the words of the collector; every value of a section may be a text that an
 * app recorded, and stands between the markers of the answer.
 */
export interface Answer {
  /** What the answer is, in a sentence or two. Never a text that was recorded. */
  readonly lead: string;
  readonly sections: readonly Section[];
  /** What to do next, and which argument gets more. Never a text that was recorded. */
  readonly notes?: readonly string[];
}

/** A part of an answer. One that does not fit is cut, and its `rest` says how to get what is missing. */
export type Section = Facts | Table | Text;

/** No answer shows more rows of a table, or characters of a text. */
export const MAX_ROWS = 1000;
export const MAX_CHARACTERS = 200_000;

/** A value; null where there is none. */
export type Cell = string | number | Computed | null;

/** A number that the collector computed where no app sent it. Texts mark it with `≈`, data with a `…_source` beside it. */
export interface Computed {
  readonly computed: number;
}

/** How a number is shown in a text. Programs get the number. */
export type Format = (value: number) => string;

/** Named values. */
export interface Facts {
  readonly kind: "facts";
  readonly title: string;
  readonly facts: readonly Fact[];
}

export interface Fact {
  readonly name: string;
  readonly value: Cell;
  readonly format?: Format;
}

/** Rows of values. */
export interface Table {
  readonly kind: "table";
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** Gets up to half of the tokens, and at least those of a short first row, before other sections get any. */
  readonly isFirst?: boolean;
  /** Number of all rows, if `rows` has only as many as an answer can show: {@link MAX_ROWS}. */
  readonly total?: number;
  /** How to get the rows after those that are shown. */
  readonly rest?: (shown: number) => string;
}

export interface Column {
  readonly name: string;
  readonly format?: Format;
  /** Longest text of a cell, in characters. Default: 120. */
  readonly length?: number;
}

/** A text of any length. */
export interface Text {
  readonly kind: "text";
  readonly title: string;
  readonly text: string;
  /** Length of the whole text, if `text` has only as much as an answer can show: {@link MAX_CHARACTERS}. */
  readonly total?: number;
  /** How to get the text after the characters that are shown. */
  readonly rest?: (shown: number) => string;
}

/** Named values of which those without a value are left out. */
export function facts(title: string, list: readonly Fact[]): Facts {
  return { kind: "facts", title, facts: list.filter(({ value }) => value !== null && value !== "") };
}
