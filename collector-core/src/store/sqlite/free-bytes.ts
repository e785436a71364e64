import { statfsSync } from "node:fs";

/**
 * The bytes that this process may still write to the file system of a directory.
 *
 * @returns Infinity if the file system does not tell.
 */
export function freeBytesOf(directory: string): number {
  try {
    const { bavail, bsize, blocks } = statfsSync(directory);
    // Some virtual file systems report no blocks at all.
    return blocks === 0 ? Infinity : bavail * bsize;
  } catch {
    return Infinity;
  }
}
