import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createStorageEngine } from "../../../src/store/sqlite/engine/create-storage-engine.js";
import { createSqliteTraceStore } from "../../../src/store/sqlite/sqlite-trace-store.js";
import { createLogger } from "../../../src/logging/logger.js";
import type { TraceStore } from "../../../src/interfaces.js";
import { describeTraceStore } from "../contract/describe-trace-store.js";
import type { ContractOptions, OpenedStore } from "../contract/harness.js";
import { inlineThread } from "./inline-thread.js";

describeTraceStore("the durable trace store", openDurableStore);

async function openDurableStore(options: ContractOptions): Promise<OpenedStore> {
  const { clock, maxTraces, maxSpansPerTrace, ttlSeconds } = options;
  const directory = mkdtempSync(join(tmpdir(), "obspan-store-"));
  const open = async (): Promise<TraceStore> => {
    const store = createSqliteTraceStore({
      clock,
      logger: createLogger({ level: "ERROR", structured: false }),
      startThread: inlineThread((host) =>
        createStorageEngine(
          {
            directory,
            maxTraces,
            maxSpansPerTrace,
            ttlSeconds,
            diskMaxBytes: 2 ** 40,
            minFreeBytes: 0,
            commitIntervalMs: 200,
          },
          host,
          { clock },
        ),
      ),
    });
    await store.start();
    return {
      ...store,
      async append(...args) {
        await store.append(...args);
        // Spans wait up to 20 ms for others. A question sends them now, before the test advances its clock.
        await store.summaries([]);
      },
    };
  };
  let store = await open();
  return {
    store,
    clock,
    reopen: async () => {
      await store.stop();
      return (store = await open());
    },
    close: async () => {
      await store.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
