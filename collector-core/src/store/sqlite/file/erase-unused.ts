import { readFileSync } from "node:fs";
import type { Steps } from "../../../runtime/steps.js";
import type { TraceFile } from "../open-trace-file.js";
import { FilePages } from "./file-pages.js";

const PAGES_PER_STEP = 32;

/**
 * Overwrites the bytes that pages of the file do not use. SQLite moves rows between pages, and leaves copies of them where they
 * were, also under `secure_delete`. Call it outside a transaction.
 *
 * @returns false if that is not possible now: during a backup.
 */
export function* eraseUnusedBytes(file: TraceFile): Steps<boolean> {
  let changed: ReadonlySet<number> | undefined;
  do {
    if (!file.checkpoint("TRUNCATE")) return false;
    const release = file.holdCheckpoints();
    try {
      // Else SQLite would later write the pages that it remembers.
      file.db.exec("PRAGMA shrink_memory");
      const pages = new FilePages(file);
      let left = PAGES_PER_STEP;
      for (const page of changed ?? pages.numbers()) {
        pages.eraseUnused(page);
        if (--left > 0) continue;
        left = PAGES_PER_STEP;
        yield;
      }
      pages.sync();
      // Pages that were written between the steps may have been read before they were erased.
      changed = loggedPages(file);
    } finally {
      release();
    }
  } while (changed.size > 0);
  return true;
}

const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** The numbers of the pages in the write-ahead log. The format of the log is at https://www.sqlite.org/fileformat2.html#walformat. */
function loggedPages({ path, pageBytes }: TraceFile): ReadonlySet<number> {
  const log = readFileSync(`${path}-wal`);
  const pages = new Set<number>();
  const step = FRAME_HEADER_BYTES + pageBytes;
  for (let at = LOG_HEADER_BYTES; at + step <= log.length; at += step) pages.add(log.readUInt32BE(at));
  return pages;
}
