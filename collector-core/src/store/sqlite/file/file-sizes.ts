import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { RESERVE_NAME } from "./space-reserve.js";

/**
 * Sizes of the files of a store; 0 for a file that does not exist, and for one whose size cannot be found out, such as in a
 * directory that this process may not search any more. The process can still write a file that it has open there.
 */
export interface FileSizes {
  /** The file itself. */
  readonly fileBytes: number;
  /** Its write-ahead log. */
  readonly logBytes: number;
  /** The space that is held for work on a full disk. */
  readonly reserveBytes: number;
}

export function fileSizes(path: string): FileSizes {
  return {
    fileBytes: sizeOf(path),
    logBytes: sizeOf(`${path}-wal`),
    reserveBytes: sizeOf(join(dirname(path), RESERVE_NAME)),
  };
}

function sizeOf(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    return 0;
  }
}
