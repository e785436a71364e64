import { statSync } from "node:fs";
import type { StoreCompaction } from "../../../interfaces.js";
import type { Steps } from "../../../runtime/steps.js";
import type { TraceFile } from "../open-trace-file.js";

/** A step moves and frees 256 KiB: some milliseconds. */
const BYTES_PER_STEP = 2 ** 18;

/**
 * Gives the free pages of a file back to the file system.
 *
 * It is not a VACUUM, which writes the whole file once more in one step: its temporary copy is in memory, because the WASM
 * driver has no temporary files.
 */
export function* compact(file: TraceFile): Steps<StoreCompaction> {
  const { db, path, pageBytes } = file;
  const freePages = db.prepare("PRAGMA freelist_count");
  const count = (): number => Number(freePages.get()?.["freelist_count"]);
  file.checkpoint("TRUNCATE");
  const bytesBefore = statSync(path).size;
  for (let before = count(), after: number; before > 0; before = after) {
    file.releasePages(Math.floor(BYTES_PER_STEP / pageBytes));
    after = count();
    // Commits between the steps may free and use pages. Without progress there is nothing to wait for.
    if (after >= before) break;
    yield;
  }
  // The file gets shorter when the log is copied into it.
  file.checkpoint("TRUNCATE");
  return { bytesBefore, bytesAfter: statSync(path).size };
}
