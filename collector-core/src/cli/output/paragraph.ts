import { widthOf } from "./width.js";

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
