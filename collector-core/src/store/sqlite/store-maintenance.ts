import { ApiError } from "../../api-schema/errors.js";
import type { StoreBackup, StoredView, StoreMaintenance, StoreTask } from "../../interfaces.js";
import type { ThreadClient } from "./thread-client.js";

/** Looks after the file that the storage thread has open. */
export function createStoreMaintenance(client: ThreadClient): StoreMaintenance {
  let requested: StoreTask | null = null;

  /** A rebuild begins by itself. */
  const task = (): StoreTask | null =>
    requested ?? (client.usage.total.rebuildProgress === null ? null : "rebuild");

  /** @returns ends the task (safe twice). */
  function begin(name: StoreTask): () => void {
    const current = task();
    if (current !== null)
      throw new ApiError("store_busy", `The trace store is busy: ${current} is under way. Try again later.`, {
        task: current,
      });
    requested = name;
    let isUnderWay = true;
    return () => {
      if (isUnderWay) requested = null;
      isUnderWay = false;
    };
  }

  async function during<Result>(name: StoreTask, work: () => Promise<Result>): Promise<Result> {
    const end = begin(name);
    try {
      return await work();
    } finally {
      end();
    }
  }

  async function backup(signal?: AbortSignal, views?: readonly StoredView[]): Promise<StoreBackup> {
    const end = begin("backup");
    try {
      const answer = client.ask("openBackup", [views], { signal });
      const { generation } = client;
      const { backup: opened, size } = await answer;
      return { bytes: size, parts: partsOf(opened, { generation, signal }, end) };
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Not a generator: the `return()` of one that has not begun would not end the backup. */
  function partsOf(
    opened: number,
    options: { readonly generation: number; readonly signal: AbortSignal | undefined },
    end: () => void,
  ): AsyncIterableIterator<Uint8Array> {
    let isOver = false;
    const finish = (): { readonly done: true; readonly value: undefined } => {
      if (!isOver) {
        isOver = true;
        client.ask("closeBackup", [opened], { generation: options.generation }).catch(() => undefined);
        end();
      }
      return { done: true, value: undefined };
    };
    return {
      async next() {
        if (isOver) return finish();
        try {
          const part = await client.ask("readBackup", [opened], options);
          return part === undefined ? finish() : { done: false, value: new Uint8Array(part.bytes) };
        } catch (error) {
          finish();
          throw error;
        }
      },
      return: async () => finish(),
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  return {
    info: (signal) => client.ask("info", [], { signal }),
    task,
    compact: (signal) => during("compact", () => client.ask("compact", [], { signal })),
    verify: (signal) => during("verify", () => client.ask("verify", [], { signal })),
    prune: (olderThanSeconds, signal) =>
      during("prune", () => client.ask("prune", [olderThanSeconds], { signal })),
    backup,
    views: (signal) => client.ask("views", [], { signal }),
  };
}
