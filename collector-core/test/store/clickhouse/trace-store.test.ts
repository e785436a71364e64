import { afterAll, beforeAll, describe } from "vitest";
import { describeTraceStore } from "../contract/describe-trace-store.js";
import { missingClickHouse, startClickHouse, type ClickHouseServer } from "./clickhouse-server.js";
import { openClickHouseStore, writingAtOnce } from "./clickhouse-store.js";

describe.skipIf(missingClickHouse() !== undefined)("in ClickHouse", () => {
  let server: ClickHouseServer;
  beforeAll(async () => {
    server = await startClickHouse();
  });
  afterAll(() => server.stop());

  describeTraceStore(
    "the shared trace store",
    async (options) => writingAtOnce(await openClickHouseStore(server, options)),
    true,
  );
});
