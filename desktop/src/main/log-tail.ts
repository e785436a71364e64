import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const TAIL_BYTES = 8 * 1024;

/** The last whole lines of the log; empty if it cannot be read. */
export function readLogTail(logFile: string | undefined): string {
  if (logFile === undefined) return "";
  try {
    const file = openSync(logFile, "r");
    try {
      const { size } = fstatSync(file);
      const start = Math.max(0, size - TAIL_BYTES);
      const buffer = Buffer.alloc(size - start);
      const text = buffer.toString("utf8", 0, readSync(file, buffer, 0, buffer.length, start));
      return start === 0 ? text : text.slice(text.indexOf("\n") + 1);
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}
