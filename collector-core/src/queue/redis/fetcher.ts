import { listOf, type Connection, type Reply } from "../../redis/connection.js";
import { RESET_AFTER_MS, RETRY_MS, pause } from "../../redis/pause.js";
import { NoAnswer, within } from "../../runtime/within.js";
import { errorMessage } from "../../runtime/describe-error.js";
import { readEntries, type Entry } from "./entries.js";
import { GROUP, STREAM } from "./keys.js";

/** Options of {@link createFetcher}. */
export interface FetcherOptions {
  /** A connection of its own: it waits for entries. */
  readonly connection: Connection;
  readonly replicaId: string;
  readonly hasRoom: () => boolean;
  /** How many entries may be fetched together. */
  readonly atOnce: () => number;
  readonly onEntries: (entries: readonly Entry[]) => void;
}

/** Entries gather for so long before they are fetched, unless many wait: a question costs Redis and the collector as much as a batch. */
export const GATHER_MS = 10;
/** Short, because a collector that stops waits for it: an entry that comes meanwhile would be nobody's for half a minute. */
const BLOCK_MS = 250;

/** Fetches new entries while there is room for them. */
export interface Fetcher {
  start(): void;
  /** Call it when there may be room again. */
  wake(): void;
  /** Fetches no more. Resolves when the last entries have come. */
  stop(): Promise<void>;
}

export function createFetcher(options: FetcherOptions): Fetcher {
  const { connection, replicaId, hasRoom, atOnce, onEntries } = options;
  let isStopped = false;
  let onRoom: (() => void) | undefined;
  let fetching: Promise<void> | undefined;
  const of = ["XREADGROUP", "GROUP", GROUP, replicaId, "COUNT"];
  const from = ["BLOCK", String(BLOCK_MS), "STREAMS", STREAM, ">"];

  async function fetchAll(): Promise<void> {
    while (!isStopped) {
      if (!hasRoom()) {
        await new Promise<void>((resolve) => (onRoom = resolve));
        continue;
      }
      try {
        // One stream was asked for: its name, then its entries.
        const most = atOnce();
        const [stream] = listOf(await answer([...of, String(most), ...from]));
        if (stream === undefined) continue;
        const entries = readEntries(listOf(stream)[1] ?? null);
        onEntries(entries);
        if (entries.length < most) await pause(GATHER_MS);
      } catch (error) {
        if (errorMessage(error).startsWith("NOGROUP")) await createGroup();
        else await pause(RETRY_MS);
      }
    }
  }

  async function answer(read: readonly string[]): Promise<Reply> {
    try {
      return await within(RESET_AFTER_MS, connection.command(read));
    } catch (error) {
      // An answer that comes later would be lost with its entries.
      if (error instanceof NoAnswer) connection.reset();
      throw error;
    }
  }

  /** The first collector makes the group, and so does the next one if Redis has lost its data. */
  async function createGroup(): Promise<void> {
    try {
      await connection.command(["XGROUP", "CREATE", STREAM, GROUP, "0", "MKSTREAM"]);
    } catch {
      // Another collector was first, or Redis is away.
      await pause(RETRY_MS);
    }
  }

  function wake(): void {
    if (!isStopped && !hasRoom()) return;
    onRoom?.();
    onRoom = undefined;
  }

  return {
    start() {
      connection.open();
      fetching = fetchAll();
    },
    wake,
    async stop() {
      isStopped = true;
      wake();
      await fetching;
      connection.close();
    },
  };
}
