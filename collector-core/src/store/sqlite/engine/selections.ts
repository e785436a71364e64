import type { TraceKey } from "../../../interfaces.js";
import { SqlError } from "../driver/sqlite-driver.js";
import { unavailable } from "./sql-failures.js";

/** The selections that are read page by page. */
export class Selections {
  readonly #open = new Map<number, AsyncIterator<readonly TraceKey[]>>();
  #lastId = 0;

  /** @returns the number by which the pages are read. */
  add(pages: AsyncIterator<readonly TraceKey[]>): number {
    const id = ++this.#lastId;
    this.#open.set(id, pages);
    return id;
  }

  /** The next keys; none after the last, and none if the traces were cleared. */
  async next(id: number): Promise<readonly TraceKey[]> {
    const found = this.#open.get(id);
    if (found === undefined) return [];
    try {
      const page = await found.next();
      return page.done === true ? [] : page.value;
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      if (!this.#open.has(id)) return [];
      throw unavailable(error);
    }
  }

  async close(id: number): Promise<void> {
    await this.#open.get(id)?.return?.();
    this.#open.delete(id);
  }

  /** Forgets all, because the file was replaced. */
  clear(): void {
    this.#open.clear();
  }
}
