import type { SessionOrder, TurnOrder } from "../../api-schema/sessions.js";
import type { CursorNumbers, ListCursors } from "../traces/list-cursor.js";

/** The position of a session in a list. */
export interface SessionRank {
  /** What the order compares: the larger value comes first. */
  readonly value: number;
  /** The sequence of a trace of the session, which no other session has. Among equal values the larger one comes first. */
  readonly sequence: number;
}

/** The end of a page of sessions. */
export interface SessionPosition extends SessionRank {
  /** Traces of later sequences arrived after the first page, and count on no page. */
  readonly newestSequence: number;
}

/** Negative if `a` comes first. */
export function compareRanks(a: SessionRank, b: SessionRank): number {
  return b.value - a.value || b.sequence - a.sequence;
}

export function encodePosition(
  cursors: ListCursors,
  order: SessionOrder,
  { value, sequence, newestSequence }: SessionPosition,
): string {
  return cursors.encodeNumbers(`sessions ${order}`, [sequence, value, newestSequence]);
}

/** @throws `ApiError` `invalid_query` if the cursor is not from this list. */
export function decodePosition(cursors: ListCursors, order: SessionOrder, cursor: string): SessionPosition {
  const [sequence, value, newestSequence] = cursors.decodeNumbers(cursor, `sessions ${order}`);
  return { sequence, value, newestSequence };
}

/** The position of a trace in its session. */
export interface TurnPosition {
  readonly startMs: number;
  readonly startNanos: number;
  readonly sequence: number;
}

/** Negative if `a` started first. Ties are in order of arrival. */
export function compareTurns(a: TurnPosition, b: TurnPosition): number {
  return a.startMs - b.startMs || a.startNanos - b.startNanos || a.sequence - b.sequence;
}

/** Compares traces of a session in the order of a page. */
export function turnOrder(order: TurnOrder): (a: TurnPosition, b: TurnPosition) => number {
  return order === "oldest" ? compareTurns : (a, b) => compareTurns(b, a);
}

export function encodeTurn(
  cursors: ListCursors,
  order: TurnOrder,
  { startMs, startNanos, sequence }: TurnPosition,
): string {
  return cursors.encodeNumbers(`session ${order}`, [startMs, startNanos, sequence]);
}

/** @throws `ApiError` `invalid_query` if the cursor is not from such a page. */
export function decodeTurn(cursors: ListCursors, order: TurnOrder, cursor: string): TurnPosition {
  const [startMs, startNanos, sequence]: CursorNumbers = cursors.decodeNumbers(cursor, `session ${order}`);
  return { startMs, startNanos, sequence };
}
