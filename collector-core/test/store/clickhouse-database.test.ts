import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { createClickHouseTraceStore } from "../../src/store/clickhouse/clickhouse-trace-store.js";
import type { Database } from "../../src/store/clickhouse/database.js";
import { SizeLimit } from "../../src/store/clickhouse/size-limit.js";
import { databaseOf } from "./local-database.js";
import { FakeClock } from "./span-batches.js";

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
  return { database: await databaseOf(server), answers, queries };
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

const BACK_OFF_MS = [2000, 4000, 8000, 16_000, 30_000];

it("says once why ClickHouse cannot be used, again when the reason changes, and asks it less often", async () => {
  const refusals = [
    ...Array<string>(6).fill(
      "Code: 516. DB::Exception: default: Authentication failed. (AUTHENTICATION_FAILED)",
    ),
    ...Array<string>(6).fill("Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)"),
  ];
  let asked = 0;
  const server = createServer((_request, response) => {
    const refusal = refusals[asked++] ?? "";
    response.writeHead(500, { "X-ClickHouse-Exception-Code": /\d+/.exec(refusal)?.[0] ?? "" }).end(refusal);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
  const started: number[] = [];
  const { setTimeout: fake } = globalThis;
  globalThis.setTimeout = ((run: () => void, ms = 0) => {
    started.push(ms);
    return fake(run, ms);
  }) as typeof setTimeout;
  onTestFinished(() => {
    globalThis.setTimeout = fake;
    vi.useRealTimers();
  });
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  const store = createClickHouseTraceStore({
    ...{ url: `http://127.0.0.1:${port}`, user: "default", password: "wrong", database: "obspan" },
    ...{ textIndex: "none", ttlSeconds: 0, maxSpansPerTrace: 500, clock: new FakeClock() },
    logger: { info: log, warning: log, error: log },
    pagesInUse: { take: () => undefined, release: () => undefined },
    onWritten: () => undefined,
  });
  onTestFinished(async () => {
    await store.stop();
    server.closeAllConnections();
    server.close();
  });
  await store.start();
  const waits = (): number[] => started.filter((ms) => BACK_OFF_MS.includes(ms));
  for (let tries = 1; tries < refusals.length; tries++) {
    while (waits().length < tries) await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(waits().at(-1) ?? 0);
  }
  while (waits().length < refusals.length) await new Promise((resolve) => setImmediate(resolve));
  expect(lines).toEqual([
    expect.stringContaining("Authentication failed"),
    expect.stringContaining("Memory limit exceeded"),
  ]);
  expect(waits().slice(0, 6)).toEqual([...BACK_OFF_MS, 30_000]);
  expect(store.usage()).toMatchObject({
    state: "degraded",
    reason: expect.stringContaining("Memory limit exceeded") as string,
  });
});

it("says once why a day cannot be removed, removes the next one, and counts what is gone", async () => {
  let checks = 0;
  const dropped: string[] = [];
  const days = [1, 2, 3].map((day) => ({ day, bytes: 100 }));
  const database = {
    async rows(sql: string) {
      if (!sql.includes("system.parts")) return [{ traces: 7 }];
      checks++;
      return days;
    },
    async run(sql: string, parameters: { readonly day: number }) {
      const [, table] = /ALTER TABLE (\w+)/.exec(sql) ?? [];
      if (parameters.day === 1 && table === "spans") throw new Error(`No disk, try ${checks}.`);
      if (checks === 1) dropped.push(`${table} ${parameters.day}`);
    },
  } as unknown as Database;
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  let removals = 0;
  const limit = new SizeLimit({
    ...{ database, maxBytes: 150, checkSizeEveryMs: 1, log: { info: log, warning: log } },
    onRemoved: () => removals++,
  });
  limit.start();
  while (checks < 3) await new Promise((resolve) => setTimeout(resolve, 1));
  limit.stop();
  expect(dropped).toEqual(["traces 1", "traces 2", "spans 2"]);
  expect(limit.removed).toBe(7 * removals);
  expect(removals).toBeGreaterThanOrEqual(4);
  expect(lines.filter((line) => line.includes("No disk"))).toEqual([
    "The tables may be larger than trace_store.disk_max_bytes: No disk, try 1. It is tried again.",
  ]);
});
