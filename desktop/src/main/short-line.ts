/** A text in one line that is cut after some characters: the name of a run may have any length. */
export function shortLine(text: string, length: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  const characters = Array.from(line);
  return characters.length > length ? `${characters.slice(0, length - 1).join("")}…` : line;
}
