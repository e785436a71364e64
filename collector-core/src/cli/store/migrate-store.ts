import type { Config } from "../../config/options.js";
import { errorMessage } from "../../runtime/describe-error.js";
import { openDatabase } from "../../store/clickhouse/database.js";
import { migrate, type Migration } from "../../store/clickhouse/migrations.js";
import { CommandFailure } from "../command-failure.js";

/** What was done to the tables. */
export interface StoreMigration extends Pick<Migration, "from" | "to"> {
  readonly place: string;
  /** What was done to the index of texts. */
  readonly textIndex: "kept" | "added" | "dropped";
}

/** Makes the tables of `trace_store.url`, or brings them to this version and the configuration. @throws CommandFailure */
export async function migrateStore(config: Config): Promise<StoreMigration> {
  const url = config["trace_store.url"];
  if (url === undefined)
    throw new CommandFailure("trace_store.url is not set: there is no ClickHouse to make tables in.");
  const {
    "trace_store.user": user,
    "trace_store.password": password = "",
    "trace_store.database": name,
  } = config;
  const server = openDatabase({ url, user, password, database: undefined });
  const database = openDatabase({ url, user, password, database: name });
  const options = {
    textIndex: config["trace_store.text_index"],
    ttlSeconds: config["trace_store.ttl_seconds"],
    changesTextIndex: true,
  };
  try {
    const { from, to, hasOtherTextIndex } = await migrate({ server, database, name }, options);
    const changed = options.textIndex === "none" ? "dropped" : "added";
    return {
      ...{ from, to, place: `${new URL(url).host}, database ${name}` },
      textIndex: hasOtherTextIndex ? changed : "kept",
    };
  } catch (error) {
    throw new CommandFailure(errorMessage(error));
  } finally {
    await Promise.all([server.close(), database.close()]);
  }
}
