import { statSync } from "node:fs";

/** Sizes of the files of a store; 0 for a file that does not exist. */
export interface FileSizes {
  /** The file itself. */
  readonly fileBytes: number;
  /** Its write-ahead log. */
  readonly logBytes: number;
}

export function fileSizes(path: string): FileSizes {
  return { fileBytes: sizeOf(path), logBytes: sizeOf(`${path}-wal`) };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
