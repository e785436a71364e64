import type { Clock } from "../runtime/clock.js";
import { TimeSlice } from "../runtime/time-slice.js";

/** Divides what is written to many connections into turns of the event loop. */
export interface WritePacer {
  /** To be awaited after a write of so many bytes. */
  wrote(bytes: number): Promise<void>;
  /** To be awaited between pieces of work that write nothing. */
  pause(): Promise<void>;
}

/** Written in one turn: about a millisecond. */
const BYTES_PER_TURN = 2 ** 19;
/** What a write costs beside its bytes: a call of the system. */
const BYTES_PER_WRITE = 2 ** 12;

/**
 * Node hands over what was written when the slice is over, so a clock does not see what that costs: writes are counted by
 * their bytes.
 */
export function createWritePacer(clock: Pick<Clock, "monotonic">): WritePacer {
  const timeSlice = new TimeSlice(clock, undefined, "urgent");
  let written = 0;
  async function pause(): Promise<void> {
    if (written < BYTES_PER_TURN && !timeSlice.isOver()) return;
    written = 0;
    await timeSlice.next();
  }
  return {
    pause,
    async wrote(bytes) {
      written += bytes + BYTES_PER_WRITE;
      await pause();
    },
  };
}
