import {
  createClickHouseTraceStore,
  type SharedTraceStore,
} from "../../../src/store/clickhouse/clickhouse-trace-store.js";
import { openDatabase } from "../../../src/store/clickhouse/database.js";
import type { SharedDeletions, TraceStore } from "../../../src/interfaces.js";
import type { ContractOptions, OpenedStore } from "../contract/harness.js";
import { aDatabase, type ClickHouseServer } from "./clickhouse-server.js";

/** What a test may change. */
export interface ClickHouseStoreOptions extends Pick<
  ContractOptions,
  "maxSpansPerTrace" | "ttlSeconds" | "maxReadBytes" | "clock"
> {
  readonly database?: string;
  readonly lines?: string[];
  readonly textIndex?: "ngrams" | "none";
  readonly maxDiskBytes?: number;
  readonly deletions?: Pick<SharedDeletions, "add" | "look" | "lastOf">;
}

/** A store in a database of its own, which is dropped at the end. */
export async function openClickHouseStore(
  { url }: Pick<ClickHouseServer, "url">,
  { database = aDatabase(), lines = [], textIndex = "ngrams", ...options }: ClickHouseStoreOptions,
): Promise<OpenedStore & { readonly store: SharedTraceStore; readonly database: string }> {
  const access = { url, user: "default", password: "" };
  const log = (line: string): void => void lines.push(line);
  const store = createClickHouseTraceStore({
    ...access,
    ...options,
    database,
    textIndex,
    logger: { info: log, warning: log, error: log },
    pagesInUse: { take: () => undefined, release: () => undefined },
    onWritten: () => undefined,
    checkSizeEveryMs: 5,
  });
  await store.start();
  return {
    store,
    clock: options.clock,
    database,
    async close() {
      await store.stop();
      const server = openDatabase({ ...access, database: undefined });
      await server.run("DROP DATABASE IF EXISTS {database:Identifier}", { database });
      await server.close();
    },
  };
}

/** The same store, in which every query sees what was appended before: the contract of a store that nobody shares. */
export function writingAtOnce<Opened extends OpenedStore & { readonly store: SharedTraceStore }>(
  opened: Opened,
): Opened {
  const { store } = opened;
  const atOnce: TraceStore = {
    ...store,
    async append(spans, options) {
      await store.append(spans, options);
      await store.flush();
    },
    async flush() {
      await store.flush();
      await store.count();
    },
  };
  return { ...opened, store: atOnce };
}
