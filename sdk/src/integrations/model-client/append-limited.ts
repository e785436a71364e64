/**
 * Characters kept of one streamed text. This is a little more than a span keeps, so that the span can tell that the text was
 * clipped.
 */
const MAX_LENGTH = 1_001_000;

/** Appends a piece to a text, up to the limit: an endless stream must not fill the memory. */
export function appendLimited(text: string, piece: string): string {
  if (piece === "" || text.length >= MAX_LENGTH) return text;
  return text + piece.slice(0, MAX_LENGTH - text.length);
}
