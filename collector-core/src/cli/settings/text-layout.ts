/** The line end of a text: that of its first line. */
export function lineEndOf(text: string): string {
  const end = text.indexOf("\n");
  return end > 0 && text[end - 1] === "\r" ? "\r\n" : "\n";
}

/** The indentation of a text: that of its first indented line. Default: two spaces. */
export function indentationOf(text: string): string {
  return /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ";
}

/** A text with a range of it replaced. */
export function splice(text: string, start: number, end: number, replacement = ""): string {
  return text.slice(0, start) + replacement + text.slice(end);
}
