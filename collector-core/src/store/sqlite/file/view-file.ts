import { readBeginning } from "./regular-file.js";

/** Many times the largest file that saved views fill. A larger file is from somewhere else, and would not fit into memory. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Reads the file of the saved views. Never waits, and reads no more than such a file can have.
 *
 * @throws Error if it is too large or no file; the error of the file system, such as ENOENT.
 */
export function readViewFile(path: string): string {
  const bytes = readBeginning(path, { maxBytes: MAX_BYTES + 1, followsLinks: true });
  if (bytes.length > MAX_BYTES) throw new Error(`${path} is larger than ${MAX_BYTES} bytes.`);
  return bytes.toString();
}
