import { writeSync } from "node:fs";

/** Writes a line, line break included. @returns what went wrong, where it could not be written whole. */
export type LineWriter = (line: string) => Error | undefined;

/** Pause between two attempts on a pipe that is full. */
const PAUSE_MS = 10;

const pauseCell = new Int32Array(new SharedArrayBuffer(4));

/**
 * Writes lines before it returns, so that the last one before the process ends is not lost.
 *
 * @param patienceMs - how long to wait for a pipe whose reader does not keep up (EAGAIN). A reader who has used it up
 * is waited for again when it has taken a line.
 */
export function lineWriter(fileDescriptor: number, patienceMs: number): LineWriter {
  let torn = false;
  let patience = patienceMs;

  return (line) => {
    // A line that was cut short, by a full disk for one, must not swallow the next.
    const bytes = Buffer.from(torn ? `\n${line}` : line);
    let written = 0;
    let waitedMs = 0;
    while (written < bytes.length) {
      try {
        written += writeSync(fileDescriptor, bytes, written);
      } catch (error) {
        const waits = isFull(error) && waitedMs < patience;
        if (!waits) {
          if (isFull(error)) patience = 0;
          torn ||= written > 0;
          return error instanceof Error ? error : new Error(String(error));
        }
        Atomics.wait(pauseCell, 0, 0, PAUSE_MS);
        waitedMs += PAUSE_MS;
      }
    }
    torn = false;
    patience = patienceMs;
    return undefined;
  };
}

function isFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EAGAIN";
}
