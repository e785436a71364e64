import { readFileSync } from "node:fs";
import type { Steps } from "../../../runtime/steps.js";
import { SqlError } from "../driver/sqlite-driver.js";
import type { TraceFile } from "../open-trace-file.js";
import { FilePages } from "./file-pages.js";

const PAGES_PER_STEP = 32;

const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/**
 * The bytes that a file does not use: those of free pages, and those between the rows of others. SQLite moves rows between pages, and
 * leaves copies of them where they were, also under `secure_delete`.
 */
export class UnusedBytes {
  readonly #file: TraceFile;
  /** The write-ahead log that has every page that was written since the bytes were erased. */
  #logSince: string | undefined;

  constructor(file: TraceFile) {
    this.#file = file;
  }

  /**
   * Overwrites them: those of all pages, or later those of the free pages and of those that the write-ahead log still has. Call it
   * outside a transaction, with `secure_delete` on.
   *
   * @returns false if that is not possible now: during a backup.
   */
  *erase(): Steps<boolean> {
    const file = this.#file;
    const log = this.#readLog();
    let changed = log.id === this.#logSince ? log.pages : undefined;
    this.#logSince = undefined;
    // What is freed meanwhile is overwritten by SQLite.
    let hasFreePages = true;
    do {
      if (!file.checkpoint("TRUNCATE")) return false;
      const release = file.holdCheckpoints();
      try {
        // Else SQLite would later write the pages that it remembers.
        file.db.exec("PRAGMA shrink_memory");
        const pages = new FilePages(file);
        let left = PAGES_PER_STEP;
        const numbers = chain(hasFreePages ? pages.freePages() : [], changed ?? pages.treePages());
        for (const page of numbers) {
          pages.eraseUnused(page);
          if (--left > 0) continue;
          left = PAGES_PER_STEP;
          yield;
        }
        pages.sync();
        hasFreePages = false;
        // Pages that were written between the steps may have been read before they were erased.
        changed = this.#readLog().pages;
      } finally {
        release();
      }
    } while (changed.size > 0);
    this.#beginLog();
    return true;
  }

  /** Writes a page, so that the log has an id. */
  #beginLog(): void {
    try {
      const { db } = this.#file;
      const version = Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
      // SQLite writes no row that stays the same, but this.
      db.exec(`PRAGMA user_version = ${version}`);
      this.#logSince = this.#readLog().id;
    } catch (error) {
      // On a full disk, the next time takes longer.
      if (!(error instanceof SqlError)) throw error;
    }
  }

  /** The format of the log is at https://www.sqlite.org/fileformat2.html#walformat. */
  #readLog(): { readonly id: string; readonly pages: ReadonlySet<number> } {
    const log = readFileSync(`${this.#file.path}-wal`);
    const pages = new Set<number>();
    const step = FRAME_HEADER_BYTES + this.#file.pageBytes;
    for (let at = LOG_HEADER_BYTES; at + step <= log.length; at += step) pages.add(log.readUInt32BE(at));
    // The number of its checkpoint and two salts, which change when it begins again.
    return { id: log.toString("hex", 12, 24), pages };
  }
}

function* chain<Item>(...parts: readonly Iterable<Item>[]): Generator<Item> {
  for (const part of parts) yield* part;
}
