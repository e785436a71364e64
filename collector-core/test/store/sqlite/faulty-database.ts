import type { SqlDatabase, SqlStatement } from "../../../src/store/sqlite/driver/sqlite-driver.js";
import { recordingLogger, type LoggedLine } from "../../running-collector.js";
import {
  openDurableStore,
  openWithoutSync,
  type DurableStore,
  type DurableStoreOptions,
} from "./durable-store.js";

/** What a test does to the databases that it opens. */
export interface Faults {
  /** Called before each statement is executed; may throw. */
  onStatement?: ((sql: string) => void) | undefined;
  /** The database that was opened last. */
  db: SqlDatabase | undefined;
}

/** Opens databases whose statements fail when a test wants it. */
export function openFaulty(faults: Faults): (path: string) => SqlDatabase {
  return (path) => {
    const db = openWithoutSync(path);
    const before = (sql: string): void => faults.onStatement?.(sql);
    const faulty: SqlDatabase = {
      driver: db.driver,
      exec(sql) {
        before(sql);
        db.exec(sql);
      },
      prepare(sql): SqlStatement {
        const statement = db.prepare(sql);
        const run =
          <Parameters extends unknown[], Result>(step: (...parameters: Parameters) => Result) =>
          (...parameters: Parameters): Result => {
            before(sql);
            return step(...parameters);
          };
        return {
          run: run((...values) => statement.run(...values)),
          get: run((...values) => statement.get(...values)),
          all: run((...values) => statement.all(...values)),
        };
      },
      close: () => db.close(),
    };
    faults.db = db;
    return faulty;
  };
}

/** A durable store whose disk fails when a test wants it. */
export interface FaultyStore {
  readonly durable: DurableStore;
  readonly faults: Faults;
  /** What the store logs. */
  readonly lines: readonly LoggedLine[];
}

export async function openFaultyStore(options: DurableStoreOptions = {}): Promise<FaultyStore> {
  const faults: Faults = { db: undefined };
  const lines: LoggedLine[] = [];
  const durable = await openDurableStore({
    openDatabase: openFaulty(faults),
    logger: recordingLogger(lines),
    ...options,
  });
  return { durable, faults, lines };
}
