import measure from "fast-string-truncated-width";

/** Columns that a text takes in a terminal: two for wide characters and emoji, none for combining ones. */
export function widthOf(text: string): number {
  return measure(text).width;
}

/** A text in at most so many columns; a longer one ends with an ellipsis. */
export function truncate(text: string, columns: number): string {
  const { index, truncated, ellipsed } = measure(text, { limit: Math.max(columns, 1), ellipsis: "…" });
  return `${truncated ? text.slice(0, index) : text}${ellipsed ? "…" : ""}`;
}
