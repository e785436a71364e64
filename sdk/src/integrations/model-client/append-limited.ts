import { copyValue } from "../../capture/integration.js";
import { copyFields, textOf } from "../json-fields.js";

/**
 * Characters kept of one streamed text. This is a little more than a span keeps, so that the span can tell that the text was
 * clipped.
 */
const MAX_LENGTH = 1_001_000;

/** Characters that what is kept of one response may still have together. */
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

/** Bytes of a value that needs no room: the counts at the end of a stream are kept whatever came before. Their number is bounded. */
const SMALL_BYTES = 1000;

/** A copy of a value of a stream, as a span would copy it; undefined if the response has no room for it. */
export function keepLimited(value: unknown, room: TextRoom): unknown {
  const kept = copyValue(value);
  if (kept.bytes <= SMALL_BYTES) return kept.value;
  if (kept.bytes > room.left) return undefined;
  room.left -= kept.bytes;
  return kept.value;
}

/** A name or an id of a stream, as {@link keepLimited} keeps it. */
export function keepText(value: unknown, room: TextRoom): string | undefined {
  return typeof value === "string" ? textOf(keepLimited(value, room)) : undefined;
}

/** A copy of the first fields of an object of a stream, without those for which the response has no room. */
export function keepFields(value: unknown, room: TextRoom): Record<string, unknown> {
  const fields = Object.entries(copyFields(value)).map(
    ([key, sent]) => [key, keepLimited(sent, room)] as const,
  );
  return Object.fromEntries(fields.filter(([, kept]) => kept !== undefined));
}
