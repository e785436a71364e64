import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { openDatabase, type Database } from "../../src/store/clickhouse/database.js";

/** A database that asks a server of the test as it would ask ClickHouse. */
export async function databaseOf(server: Server): Promise<Database> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const database = openDatabase({
    url: `http://127.0.0.1:${port}`,
    user: "default",
    password: "",
    database: undefined,
  });
  onTestFinished(async () => {
    await database.close();
    server.closeAllConnections();
    server.close();
  });
  return database;
}
