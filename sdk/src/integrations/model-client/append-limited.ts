/**
 * Characters kept of one streamed text. This is a little more than a span keeps, so that the span can tell that the text was
 * clipped.
 */
const MAX_LENGTH = 1_001_000;

/** Characters that the texts of one response may still have together. */
export interface TextRoom {
  left: number;
}

/** The room of a response with many texts: more than a span keeps of all of them. */
export function newTextRoom(): TextRoom {
  return { left: 4_000_000 };
}

/** Appends a piece to a text, up to the limits: an endless stream must not fill the memory. */
export function appendLimited(text: string, piece: string, room?: TextRoom): string {
  const max = Math.min(MAX_LENGTH - text.length, room?.left ?? MAX_LENGTH);
  if (piece === "" || max <= 0) return text;
  const added = piece.slice(0, max);
  if (room !== undefined) room.left -= added.length;
  return text + added;
}
