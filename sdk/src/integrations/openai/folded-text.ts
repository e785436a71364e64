/**
 * Characters kept of one text of a stream: a little more than a span takes, which so can tell that it was clipped. The
 * rest goes to the reader alone.
 */
const MAX_LENGTH = 1_001_000;

/** The text with the piece behind it, as far as it is kept: a stream without end must not fill the memory. */
export function appended(text: string, piece: string): string {
  if (piece === "" || text.length >= MAX_LENGTH) return text;
  return text + piece.slice(0, MAX_LENGTH - text.length);
}
