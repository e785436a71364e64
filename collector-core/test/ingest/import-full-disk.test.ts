import { describe, expect, it } from "vitest";
import { SQL_CODES, SqlError } from "../../src/store/sqlite/driver/sqlite-driver.js";
import { createStorageEngine } from "../../src/store/sqlite/engine/create-storage-engine.js";
import { errorOf, span, startCollector } from "../running-collector.js";
import { openFaulty, type Faults } from "../store/sqlite/faulty-database.js";
import { inlineThread } from "../store/sqlite/inline-thread.js";
import { temporaryDirectory } from "../store/sqlite/temporary-directory.js";
import { line } from "./import-server.js";

/** A collector with a trace on a disk, and a switch that makes the disk full. */
async function onDisk() {
  const faults: Faults = { db: undefined };
  const running = await startCollector(
    { TRACE_STORE_PATH: temporaryDirectory(), TRACE_STORE_DISK_MIN_FREE_BYTES: "0" },
    {
      startStorageThread: (thread) =>
        inlineThread((host) => createStorageEngine(thread, host, { openDatabase: openFaulty(faults) })),
    },
  );
  expect((await running.post({ spans: [span({ trace_id: "before" })] })).status).toBe(202);
  await running.settled();
  const post = (path: string, body: string, type: string): Promise<Response> =>
    fetch(running.url + path, { method: "POST", body, headers: { "Content-Type": type } });
  return {
    ...running,
    importLines: (from: number, count: number) =>
      post(
        "/v1/import",
        Array.from({ length: count }, (_, n) => line(String(from + n))).join(""),
        "application/jsonl",
      ),
    compact: () => fetch(`${running.url}/v1/store/compact`, { method: "POST" }),
    prune: () => post("/v1/store/prune", '{"older_than_seconds":0}', "application/json"),
    backup: () => fetch(`${running.url}/v1/store/backup`),
    traces: async () => (await running.get<{ total: number }>("/v1/facets")).total,
    fillDisk(isFull: boolean, matching = /^(?:INSERT|UPDATE|DELETE|COMMIT|PRAGMA (?:wal|incremental))/i) {
      faults.onStatement = isFull
        ? (sql) => {
            if (matching.test(sql)) throw new SqlError(SQL_CODES.FULL, "database or disk is full");
          }
        : undefined;
    },
  };
}

const FULL = { status: 503, code: "trace_store_unavailable" };

// Both wait for the next attempt of the store, five seconds later.
describe.concurrent("a full disk", () => {
  it("ends an import with its cause and what is kept, and the file can be imported again", async () => {
    const { importLines, traces, fillDisk, post, settled, get } = await onDisk();
    expect((await importLines(100, 20)).status).toBe(200);
    fillDisk(true);

    // The store learns of it during the first of these imports, or at its end.
    for (const from of [200, 300]) {
      const error = await errorOf(await importLines(from, 30));
      expect(error).toMatchObject({ ...FULL, details: { spans: 0 } });
      expect(error.message).toContain("The disk is full.");
      expect(error.message).toMatch(/ 0 spans of (?:up to )?\d+ traces are kept/);
    }
    expect(await traces()).toBe(21);
    expect((await post({ spans: [span({ trace_id: "meanwhile" })] })).status).toBe(202);
    await settled();

    fillDisk(false);
    const state = async (): Promise<string> => (await get<{ state: string }>("/v1/store")).state;
    await expect.poll(state, { timeout: 30_000, interval: 200 }).toBe("ok");
    expect((await importLines(200, 30)).status).toBe(200);
    expect(await traces()).toBe(51);
  }, 60_000);

  it("ends compaction, removal and backup with its cause, and loses nothing", async () => {
    const { importLines, compact, prune, backup, traces, fillDisk, get } = await onDisk();
    expect((await importLines(100, 20)).status).toBe(200);
    fillDisk(true);
    for (const task of [compact, prune, backup]) {
      const error = await errorOf(await task());
      expect(error).toMatchObject(FULL);
      expect(error.message).toMatch(/^The disk (?:of the trace store )?is full\./);
    }
    expect(await traces()).toBe(21);
    expect(await get("/v1/store")).toMatchObject({ task: null });

    fillDisk(false);
    const state = async (): Promise<string> => (await get<{ state: string }>("/v1/store")).state;
    await expect.poll(state, { timeout: 30_000, interval: 200 }).toBe("ok");
    expect((await compact()).status).toBe(200);
    expect((await (await backup()).arrayBuffer()).byteLength).toBeGreaterThan(4096);
    expect(await traces()).toBe(21);
  }, 60_000);
});
