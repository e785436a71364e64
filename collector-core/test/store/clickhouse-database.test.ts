import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { openDatabase, type Database } from "../../src/store/clickhouse/database.js";

/** A database whose queries answer one row and then no more, and the answers to them. */
async function stuckDatabase(): Promise<{
  readonly database: Database;
  readonly answers: ServerResponse[];
  readonly queries: URL[];
}> {
  const answers: ServerResponse[] = [];
  const queries: URL[] = [];
  const server = createServer((request, response) => {
    queries.push(new URL(request.url ?? "", "http://localhost"));
    answers.push(response);
    response.write('{"n":1}\n');
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const database = openDatabase({ url, user: "default", password: "", database: undefined });
  onTestFinished(async () => {
    await database.close();
    server.closeAllConnections();
    server.close();
  });
  return { database, answers, queries };
}

it("ends a query in the middle of its answer when nobody waits for it any more", async () => {
  const { database, answers, queries } = await stuckDatabase();
  const leaving = new AbortController();
  const rows = database.stream<{ n: number }>("SELECT n", {}, leaving.signal)[Symbol.asyncIterator]();
  expect(await rows.next()).toEqual({ done: false, value: [{ n: 1 }] });
  const closed = once(answers[0] as ServerResponse, "close");
  const next = rows.next();
  leaving.abort(new Error("The client has left."));
  await expect(next).rejects.toThrow("The client has left.");
  await closed;
  // ClickHouse notices it with these settings only.
  expect(queries[0]?.searchParams.get("readonly")).toBe("2");
  expect(queries[0]?.searchParams.get("cancel_http_readonly_queries_on_client_close")).toBe("1");
});

it("ends a query in the middle of its answer when there are no more rows for ten seconds", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  const { database, answers } = await stuckDatabase();
  const rows = database.stream<{ n: number }>("SELECT n")[Symbol.asyncIterator]();
  await rows.next();
  const closed = once(answers[0] as ServerResponse, "close");
  const next = expect(rows.next()).rejects.toMatchObject({
    code: "trace_store_unavailable",
    message: expect.stringContaining("has not answered within 10 seconds") as string,
  });
  vi.advanceTimersByTime(10_000);
  await next;
  await closed;
});
