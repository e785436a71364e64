import { closeSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";

/** The name of the file, beside the trace file. */
export const RESERVE_NAME = "traces.reserve";
/** Written at once: a step of a millisecond. */
const BYTES_PER_STEP = 2 ** 20;

/** Space on the disk that is held for work that makes room: SQLite cannot remove a row without room for its log. */
export interface SpaceReserve {
  /** Bytes that are held. */
  readonly bytes: number;
  /** Holds one step more, up to the limit. Does nothing if the disk has no room. */
  grow(): void;
  /** Gives the space back. @returns false if none was held. */
  release(): boolean;
}

/** Holds space in a file of a directory. @param maxBytes - held at most. */
export function createSpaceReserve(directory: string, maxBytes: number): SpaceReserve {
  const path = join(directory, RESERVE_NAME);
  let bytes = Math.max(0, statSync(path, { throwIfNoEntry: false })?.size ?? 0);

  function release(): boolean {
    const wasHeld = bytes > 0;
    bytes = 0;
    try {
      rmSync(path, { force: true });
    } catch {
      return false;
    }
    return wasHeld;
  }

  return {
    get bytes() {
      return bytes;
    },
    grow() {
      const step = Math.min(BYTES_PER_STEP, maxBytes - bytes);
      if (step <= 0) return;
      try {
        const file = openSync(path, "a", 0o600);
        try {
          // Zeros that are written, not a hole: a hole takes no space.
          bytes += writeSync(file, Buffer.alloc(step));
        } finally {
          closeSync(file);
        }
      } catch {
        // A reserve that takes the last free bytes helps nobody.
        release();
      }
    },
    release,
  };
}
