import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import type { Steps } from "../../../runtime/steps.js";
import { SQL_CODES, SqlError } from "../driver/sqlite-driver.js";
import { LOCKED_PAGE_AT } from "../file/file-pages.js";
import type { TraceFile } from "../open-trace-file.js";

const BYTES_PER_STEP = 1_048_576;

/**
 * Reads a copy of the file as it is now, 1 MiB at a time. Commits go on meanwhile, to the write-ahead log: it grows until
 * the generator ends. End it with `return()` if the copy is not read to its end.
 *
 * @throws SqlError BUSY if a transaction is open; MISUSE if the file is closed meanwhile.
 */
export function* readBackup(file: TraceFile): Generator<Buffer, void> {
  const release = file.holdCheckpoints();
  try {
    const { size } = statSync(file.path);
    for (let position = 0; position < size; position += BYTES_PER_STEP)
      yield readStep(file, position, Math.min(BYTES_PER_STEP, size - position));
  } finally {
    release();
  }
}

function readStep(file: TraceFile, position: number, length: number): Buffer {
  if (!file.isOpen) throw new SqlError(SQL_CODES.MISUSE, "The file was closed during a backup.");
  const bytes = Buffer.alloc(length);
  // A step begins at the locked page: its position is a multiple of a step.
  const from = position === LOCKED_PAGE_AT ? file.pageBytes : 0;
  for (let at = from; at < length;) {
    const count = file.readRaw(bytes.subarray(at), position + at);
    if (count === 0) throw new SqlError(SQL_CODES.IOERR, "The file ended during a backup.");
    at += count;
  }
  return bytes;
}

/**
 * Copies the file as it is now to a new file that only its owner can read.
 *
 * @returns the bytes of the copy.
 * @throws also the error of the file system, `EEXIST` if the target exists.
 */
export function* backUp(file: TraceFile, target: string): Steps<number> {
  const temporary = `${target}.partial`;
  if (existsSync(target)) throw Object.assign(new Error(`EEXIST: ${target} exists.`), { code: "EEXIST" });
  const output = openSync(temporary, "wx", 0o600);
  let isComplete = false;
  let bytes = 0;
  try {
    for (const part of readBackup(file)) {
      for (let written = 0; written < part.length;) written += writeSync(output, part, written);
      bytes += part.length;
      yield;
    }
    fsyncSync(output);
    isComplete = true;
  } finally {
    closeSync(output);
    if (!isComplete) rmSync(temporary, { force: true });
  }
  renameSync(temporary, target);
  return bytes;
}
