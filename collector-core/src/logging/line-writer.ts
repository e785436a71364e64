import { writeSync } from "node:fs";
import { errorCode } from "../runtime/describe-error.js";

/** Writes a line that includes its line break. @returns the error if the line was not written completely. */
export type LineWriter = (line: string) => Error | undefined;

/** Pause between two attempts to write to a full pipe. */
const PAUSE_MS = 10;

const pauseCell = new Int32Array(new SharedArrayBuffer(4));

/**
 * Returns a function that writes lines synchronously, so that the last line before the process exits is not lost.
 *
 * @param patienceMs - longest wait for the slow reader of a pipe (EAGAIN). After a timeout, writes do not wait until
 * the reader has accepted a line.
 */
export function lineWriter(fileDescriptor: number, patienceMs: number): LineWriter {
  let isPartial = false;
  let patience = patienceMs;

  return (line) => {
    // After a partial write, for example on a full disk, start the next line on a line of its own.
    const bytes = Buffer.from(isPartial ? `\n${line}` : line);
    let written = 0;
    let waitedMs = 0;
    while (written < bytes.length) {
      try {
        written += writeSync(fileDescriptor, bytes, written);
      } catch (error) {
        const canWait = isFull(error) && waitedMs < patience;
        if (!canWait) {
          if (isFull(error)) patience = 0;
          isPartial ||= written > 0;
          return error instanceof Error ? error : new Error(String(error));
        }
        Atomics.wait(pauseCell, 0, 0, PAUSE_MS);
        waitedMs += PAUSE_MS;
      }
    }
    isPartial = false;
    patience = patienceMs;
    return undefined;
  };
}

function isFull(error: unknown): boolean {
  return errorCode(error) === "EAGAIN";
}
