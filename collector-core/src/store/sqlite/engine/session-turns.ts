import type { TurnPosition } from "../../sessions/session-position.js";
import type { SqlRow } from "../driver/sqlite-driver.js";

/** Rows that are read in one step: about a millisecond. */
export const ROWS_PER_STEP = 500;
/** Before the first trace of a session in order of start, and behind the last. */
export const FIRST_TURN: TurnPosition = { startMs: -1, startNanos: 0, sequence: 0 };
export const LAST_TURN: TurnPosition = { startMs: Number.MAX_VALUE, startNanos: 0, sequence: 0 };

/** The position of a trace in its session, from its row. */
export function turnOf(row: SqlRow): TurnPosition {
  return {
    startMs: Number(row["start_ms"]),
    startNanos: Number(row["start_ns"]),
    sequence: Number(row["seq"]),
  };
}
