import { beginning, widthOf } from "./width.js";

/** Joins parts, with a line break instead of a separator where the next part does not fit. */
export function wrapped(parts: readonly string[], separator: string, columns: number | undefined): string[] {
  const lines: string[] = [];
  let line = "";
  for (const part of parts) {
    const longer = line === "" ? part : line + separator + part;
    if (line !== "" && columns !== undefined && widthOf(longer) > columns) {
      lines.push(line);
      line = part;
    } else line = longer;
  }
  return line === "" ? lines : [...lines, line];
}

/** A text in lines of at most so many columns, broken between words, and in words that do not fit in a line. */
export function wrappedText(text: string, columns: number | undefined): string[] {
  const words = text.split(" ");
  return wrapped(
    columns === undefined ? words : words.flatMap((word) => partsOf(word, columns)),
    " ",
    columns,
  );
}

function partsOf(word: string, columns: number): string[] {
  const parts: string[] = [];
  let rest = word;
  while (widthOf(rest) > columns) {
    const part = beginning(rest, columns);
    if (part === "") break;
    parts.push(part);
    rest = rest.slice(part.length);
  }
  return [...parts, rest];
}
