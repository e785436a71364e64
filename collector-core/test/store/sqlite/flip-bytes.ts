import { closeSync, openSync, readSync, writeSync } from "node:fs";

/** Inverts the bytes of a file from one offset to another. */
export function flipBytes(path: string, from: number, to: number): void {
  const file = openSync(path, "r+");
  try {
    const bytes = Buffer.alloc(to - from);
    const length = readSync(file, bytes, 0, bytes.length, from);
    for (let index = 0; index < length; index++) bytes[index] = ~(bytes[index] ?? 0) & 0xff;
    writeSync(file, bytes, 0, length, from);
  } finally {
    closeSync(file);
  }
}
