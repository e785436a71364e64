import { lineWriter } from "./line-writer.js";

/** How long to wait for whoever reads, such as a pager. */
const PATIENCE_MS = 5000;
const STDOUT = 1;
const STDERR = 2;

const writeOut = lineWriter(STDOUT, PATIENCE_MS);
const writeError = lineWriter(STDERR, PATIENCE_MS);

/**
 * Writes to stdout before it returns. The streams of `process` throw by an event where the other end is closed or full,
 * which would end the process.
 *
 * @returns what went wrong.
 */
export function printOut(text: string): Error | undefined {
  return writeOut(text);
}

/** Writes to stderr. What cannot be written is lost: there is nobody left to tell. */
export function printError(text: string): void {
  writeError(text);
}
