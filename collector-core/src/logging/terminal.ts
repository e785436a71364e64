import { lineWriter } from "./line-writer.js";

/** Longest wait for a slow reader, such as a pager. */
const PATIENCE_MS = 5000;
const STDOUT = 1;
const STDERR = 2;

const writeOut = lineWriter(STDOUT, PATIENCE_MS);
const writeError = lineWriter(STDERR, PATIENCE_MS);

/**
 * Writes to stdout synchronously. `process.stdout` emits an error event if the reader is gone, which ends the process.
 *
 * @returns the error, if any.
 */
export function printOut(text: string): Error | undefined {
  return writeOut(text);
}

/** Writes to stderr. Errors are ignored: there is no other output. */
export function printError(text: string): void {
  writeError(text);
}
