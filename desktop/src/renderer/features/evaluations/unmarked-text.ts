/** A text without the signs of Markdown for bold text, code and headings, for a list that shows the words only. */
export function unmarked(text: string): string {
  return text
    .replace(/\*\*([^*\n]+)\*\*/g, "$1")
    .replace(/`([^`\n]+)`/g, "$1")
    .replace(/^#{1,6} /gm, "");
}
