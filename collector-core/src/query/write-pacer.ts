import type { Clock } from "../runtime/clock.js";
import { TimeSlice } from "../runtime/time-slice.js";

/** Spreads writes to many connections over turns of the event loop. */
export interface WritePacer {
  /** Await after a write of `bytes` bytes. */
  wrote(bytes: number): Promise<void>;
  /** Await between pieces of work without a write. */
  pause(): Promise<void>;
}

/** Bytes per turn: about a millisecond. */
const BYTES_PER_TURN = 2 ** 19;
/** The cost of a write besides its bytes: one system call. */
const BYTES_PER_WRITE = 2 ** 12;

/**
 * Counts the bytes of writes. A clock cannot measure them: Node flushes writes after the time slice.
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
