import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, statSync } from "node:fs";

/** Something else than a file has the name of a file: a directory, a named pipe, a device, or a link. */
export class NotAFileError extends Error {
  override readonly name = "NotAFileError";

  constructor(readonly path: string) {
    super(`${path} is not a regular file.`);
  }
}

/** Throws {@link NotAFileError} if anything but a regular file has that name. Nothing may have it. */
export function requireRegularFile(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false) throw new NotAFileError(path);
}

/** Options of {@link readBeginning}. */
export interface ReadBeginningOptions {
  readonly maxBytes: number;
  /** Whether the path may be a link to a file. */
  readonly followsLinks: boolean;
}

/**
 * Reads the first bytes of a file. Never waits: reading a named pipe would block until something is written to it.
 *
 * @throws NotAFileError; the error of the file system, such as ENOENT.
 */
export function readBeginning(path: string, { maxBytes, followsLinks }: ReadBeginningOptions): Buffer {
  const found = followsLinks ? statSync(path) : lstatSync(path);
  if (!found.isFile()) throw new NotAFileError(path);
  // Windows does not have the flag, and no named pipes in directories: undefined counts as 0 here.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new NotAFileError(path);
    const bytes = Buffer.alloc(Math.min(maxBytes, stats.size));
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(file);
  }
}
