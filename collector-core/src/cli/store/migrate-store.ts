import type { Config } from "../../config/options.js";
import { errorMessage } from "../../runtime/describe-error.js";
import { openDatabase } from "../../store/clickhouse/database.js";
import { migrate, type Migration } from "../../store/clickhouse/migrations.js";
import { CommandFailure } from "../command-failure.js";

/** Makes the tables of `trace_store.url`, or brings them to this version. @throws CommandFailure */
export async function migrateStore(
  config: Config,
): Promise<Pick<Migration, "from" | "to"> & { readonly place: string }> {
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
  };
  try {
    const { from, to } = await migrate({ server, database, name }, options);
    return { from, to, place: `${new URL(url).host}, database ${name}` };
  } catch (error) {
    throw new CommandFailure(errorMessage(error));
  } finally {
    await Promise.all([server.close(), database.close()]);
  }
}
