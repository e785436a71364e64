import { errorCode } from "../../../runtime/describe-error.js";
import type { Steps } from "../../../runtime/steps.js";
import { SqlError } from "../driver/sqlite-driver.js";
import type { TraceFile } from "../open-trace-file.js";
import { FilePages } from "./file-pages.js";
import { LogPages } from "./log-pages.js";

const PAGES_PER_STEP = 32;
/** The write-ahead log grows while pages are erased. Beyond this size it is copied into the file before the next ones. */
const MAX_LOG_BYTES = 16 * 2 ** 20;

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
   * outside a transaction, with `secure_delete` on. It ends also if something is committed between all steps.
   *
   * @returns false if that is not possible now: during a backup.
   */
  *erase(): Steps<boolean> {
    const file = this.#file;
    const changed = this.#changedPages();
    let left: ReadonlySet<number> | undefined;
    do {
      if (!file.checkpoint("TRUNCATE")) return false;
      const release = file.holdCheckpoints();
      try {
        const pages = new FilePages(file);
        // What is freed meanwhile is overwritten by SQLite.
        left = yield* this.#eraseFrom(pages, left ?? chain(pages.freePages(), changed ?? pages.treePages()));
      } finally {
        release();
      }
    } while (left.size > 0);
    this.#beginLog();
    return true;
  }

  /**
   * Erases pages in the file, but not those that commits between the steps have written to the log before. Each time there are fewer:
   * those of the first step were erased before any commit, and what is written later was read without unused bytes.
   *
   * @returns the pages that are left for the next time, when the log has been copied into the file.
   */
  *#eraseFrom(pages: FilePages, numbers: Iterable<number>): Steps<ReadonlySet<number>> {
    const file = this.#file;
    const log = new LogPages(file);
    const { pageMoves } = file;
    const left = new Set<number>();
    // Else SQLite would later write the pages that it remembers.
    const forget = (): void => file.db.exec("PRAGMA shrink_memory");
    forget();
    let ofStep = PAGES_PER_STEP;
    for (const number of numbers) {
      if (log.bytes > MAX_LOG_BYTES || !pages.eraseUnused(number, log.numbers)) left.add(number);
      else if (--ofStep === 0) {
        ofStep = PAGES_PER_STEP;
        forget();
        yield;
        log.read();
      }
    }
    forget();
    pages.sync();
    // A page that was moved has its unused bytes in another place.
    if (file.pageMoves !== pageMoves) for (const number of log.numbers) left.add(number);
    return left;
  }

  /** The pages that were written since the bytes were erased; undefined if that is not known. */
  #changedPages(): ReadonlySet<number> | undefined {
    if (this.#logSince === undefined) return undefined;
    const log = new LogPages(this.#file);
    const isSame = log.read() === this.#logSince;
    this.#logSince = undefined;
    return isSame ? log.numbers : undefined;
  }

  /** Writes a page, so that the log has an id. */
  #beginLog(): void {
    try {
      const { db } = this.#file;
      const version = Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
      // SQLite writes no row that stays the same, but this.
      db.exec(`PRAGMA user_version = ${version}`);
      this.#logSince = new LogPages(this.#file).read();
    } catch (error) {
      // On a full disk, or where the log cannot be opened, the next time takes longer.
      if (!(error instanceof SqlError) && errorCode(error) === undefined) throw error;
    }
  }
}

function* chain<Item>(...parts: readonly Iterable<Item>[]): Generator<Item> {
  for (const part of parts) yield* part;
}
