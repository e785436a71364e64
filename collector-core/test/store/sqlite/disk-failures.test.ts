import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { SQL_CODES, SqlError } from "../../../src/store/sqlite/driver/sqlite-driver.js";
import { spansOf } from "../read-trace.js";
import { anEvaluation, aSpan, pipelineSpans } from "../span-batches.js";
import type { DurableStore, DurableStoreOptions } from "./durable-store.js";
import { openFaultyStore, type FaultyStore } from "./faulty-database.js";
import { noiseOf } from "./noise.js";

describe("a durable store on a disk that fails", () => {
  let durable: DurableStore;
  let faults: FaultyStore["faults"];
  let lines: FaultyStore["lines"];

  const open = async (options?: DurableStoreOptions): Promise<void> => {
    ({ durable, faults, lines } = await openFaultyStore(options));
  };
  afterEach(() => durable.close());

  /** Appends traces of one span of about 300 bytes that does not compress. */
  const fill = async (from: number, to: number): Promise<void> => {
    for (let at = from; at < to; at += 50) {
      const ids = Array.from({ length: Math.min(50, to - at) }, (_, index) => at + index);
      const spans = ids.map((n) =>
        aSpan({ trace_id: `t${n}`, attributes: { prompt_text: noiseOf(n, 300) } }),
      );
      await durable.store.append(pipelineSpans(spans));
    }
  };
  /** Lets the engine do what is due. An answer brings the usage. */
  const tick = async (): Promise<void> => {
    durable.engine.tick();
    await durable.store.summaries([]);
  };
  const usage = () => durable.store.usage();
  const ids = async (): Promise<string[]> =>
    (await durable.store.list({ limit: 10_000 })).traces.map((trace) => trace.trace_id);
  /** Every span is in the file or counted, and the counts are those of the file. */
  const expectToAddUp = async (appended: number): Promise<void> => {
    await durable.store.flush();
    const { traces, spans, evicted, unsaved, pendingBytes } = usage();
    expect(pendingBytes).toBe(0);
    expect(await ids()).toHaveLength(traces);
    expect(spans).toBe(traces);
    expect(spans + evicted.disk_max_bytes + unsaved.disk_full + unsaved.io_error).toBe(appended);
    const sums = faults.db?.prepare("SELECT min(traces) AS least, sum(traces) AS traces FROM chunk").get();
    expect(sums).toEqual({ least: expect.any(Number) as number, traces });
    expect(Number(sums?.["least"])).toBeGreaterThanOrEqual(0);
  };
  const limitPages = (pages: number): void => faults.db?.exec(`PRAGMA max_page_count = ${pages}`);
  const pageCount = (): number => Number(faults.db?.prepare("PRAGMA page_count").get()?.["page_count"]);

  it("evicts the 500 oldest traces when it is full, and keeps what came", async () => {
    await open();
    await fill(0, 2000);
    await durable.store.flush();
    limitPages(pageCount() + 4);
    await fill(2000, 2200);
    await expectToAddUp(2200);
    expect(usage()).toMatchObject({ state: "ok", evicted: { disk_max_bytes: 500 } });
    expect((await ids()).slice(0, 300)).toEqual(Array.from({ length: 300 }, (_, n) => `t${2199 - n}`));
    expect(durable.store.usage().traces).toBe(1700);
    const store = await durable.reopen();
    expect(store.usage().traces).toBe(1700);
    expect(await spansOf(await store.get({ tenant: "", traceId: "t2199" }))).toMatchObject([
      { attributes: { prompt_text: noiseOf(2199, 300) } },
    ]);
  });

  it("counts spans where even that does not help, answers questions, and stores again after five seconds", async () => {
    // A tick of a timer could find the full disk before the clock of the test moves.
    await open({ isTickedByTest: true });
    await fill(0, 100);
    await durable.store.flush();
    const reading = await durable.store.get({ tenant: "", traceId: "t7" });
    faults.onStatement = (sql) => {
      if (sql.startsWith("INSERT") || sql.startsWith("COMMIT"))
        throw new SqlError(SQL_CODES.FULL, "database or disk is full");
    };
    await fill(100, 150);
    durable.clock.advance(200);
    await tick();
    await fill(150, 200);
    expect(usage()).toMatchObject({ state: "degraded", reason: "The disk is full." });
    expect(usage().unsaved.disk_full).toBe(100);
    expect(usage().pendingBytes).toBe(0);
    expect(await ids()).toHaveLength(100);
    expect(await durable.store.facets({})).toMatchObject({ total: 100 });
    expect((await durable.store.list({ q: noiseOf(42, 300).slice(0, 12) })).traces).toHaveLength(1);
    expect(await spansOf(reading)).toHaveLength(1);
    reading?.release();
    await durable.store.flush();

    faults.onStatement = undefined;
    durable.clock.advance(4999);
    await tick();
    expect(usage().state).toBe("degraded");
    durable.clock.advance(1);
    await tick();
    await fill(200, 250);
    expect(usage()).toMatchObject({ state: "ok", reason: null });
    await expectToAddUp(250);
    expect(lines.filter(({ level }) => level === "ERROR")).toHaveLength(1);
  });

  it("keeps no new spans while less than the minimum is free, and goes on when there is more", async () => {
    let freeBytes = 2000;
    await open({ minFreeBytes: 1000, freeBytes: () => freeBytes, ttlSeconds: 3600 });
    await fill(0, 50);
    freeBytes = 999;
    durable.clock.advance(1000);
    await tick();
    await fill(50, 100);
    expect(usage()).toMatchObject({ state: "degraded", unsaved: { disk_full: 50 } });
    expect(await ids()).toHaveLength(50);
    durable.clock.advance(5000);
    await tick();
    expect(usage().state).toBe("degraded");
    freeBytes = 1000;
    durable.clock.advance(5000);
    await tick();
    await fill(100, 150);
    expect(usage().state).toBe("ok");
    await expectToAddUp(150);
  });

  it.each([
    ["all traces are deleted", () => durable.store.clear(), 0],
    ["a trace is deleted", () => durable.store.remove({ tenant: "", traceId: "t0" }), 49],
    ["traces are pruned", () => durable.engine.commands.prune(0, new AbortController().signal), 0],
    ["the file is compacted", () => durable.engine.commands.compact(new AbortController().signal), 50],
  ])("keeps new spans at once when the disk has room after %s", async (_name, makeRoom, left) => {
    let freeBytes = 2000;
    await open({ minFreeBytes: 1000, freeBytes: () => freeBytes });
    await fill(0, 50);
    freeBytes = 999;
    durable.clock.advance(1000);
    await tick();
    await fill(50, 100);
    expect(usage()).toMatchObject({ state: "degraded", unsaved: { disk_full: 50 } });
    // Nothing is gained.
    await durable.store.remove({ tenant: "", traceId: "unknown" });
    expect(usage().state).toBe("degraded");
    freeBytes = 1000;
    await makeRoom();
    await fill(100, 150);
    expect(usage()).toMatchObject({ state: "ok", reason: null, unsaved: { disk_full: 50 } });
    expect(await ids()).toHaveLength(left + 50);
  });

  it("prunes on a full disk in the space that it has held, and stores again", async () => {
    await open({ diskMaxBytes: 16 * 2 ** 20 });
    await fill(0, 100);
    await durable.store.flush();
    const reserve = join(durable.directory, "traces.reserve");
    for (let second = 0; second < 3; second++) {
      durable.clock.advance(1000);
      await tick();
    }
    // A sixteenth of the limit, in steps of 1 MiB. It counts as disk use.
    expect(statSync(reserve).size).toBe(2 ** 20);
    const sizes = ["", "-wal"].map((suffix) => statSync(durable.path + suffix).size);
    expect(usage().diskBytes).toBe((sizes[0] ?? 0) + (sizes[1] ?? 0) + 2 ** 20);
    let hasRoom = false;
    faults.onStatement = (sql) => {
      if (!hasRoom && existsSync(reserve) && /^(INSERT|UPDATE|DELETE|COMMIT)/.test(sql))
        throw new SqlError(SQL_CODES.FULL, "database or disk is full");
    };
    await fill(100, 150);
    durable.clock.advance(200);
    await tick();
    expect(usage()).toMatchObject({ state: "degraded", unsaved: { disk_full: 50 } });
    expect(existsSync(reserve)).toBe(true);
    expect(await durable.engine.commands.prune(0, new AbortController().signal)).toBe(100);
    expect(existsSync(reserve)).toBe(false);
    await fill(150, 200);
    await durable.store.flush();
    expect(usage()).toMatchObject({ state: "ok", traces: 50, evicted: { pruned: 100, disk_max_bytes: 0 } });
    hasRoom = true;
    durable.clock.advance(1000);
    await tick();
    expect(existsSync(reserve)).toBe(true);
  });

  it("opens its file on a full disk in the space that it has held, and without such space says why it cannot", async () => {
    await open({ diskMaxBytes: 16 * 2 ** 20 });
    await fill(0, 100);
    durable.clock.advance(1000);
    await tick();
    const reserve = join(durable.directory, "traces.reserve");
    expect(existsSync(reserve)).toBe(true);
    await durable.store.stop();
    let isFull = () => existsSync(reserve);
    faults.onStatement = () => {
      if (isFull()) throw new SqlError(SQL_CODES.FULL, "database or disk is full");
    };
    await durable.reopen();
    expect(existsSync(reserve)).toBe(false);
    expect(await ids()).toHaveLength(100);
    await durable.store.stop();
    isFull = () => true;
    await expect(durable.reopen()).rejects.toThrow("database or disk is full");
    faults.onStatement = undefined;
    await durable.reopen();
  });

  it.each([
    ["PRAGMA wal_checkpoint(TRUNCATE)", 0],
    ["PRAGMA incremental_vacuum", 0],
    ["PRAGMA incremental_vacuum", 2],
  ])("compacts on a full disk in the space that it has held, where %s fails", async (failing, after) => {
    await open({ diskMaxBytes: 16 * 2 ** 20 });
    await fill(0, 1500);
    await durable.store.flush();
    durable.clock.advance(1000);
    await tick();
    const reserve = join(durable.directory, "traces.reserve");
    expect(existsSync(reserve)).toBe(true);
    const freePages =
      "CREATE TABLE other (x BLOB) STRICT; INSERT INTO other VALUES (zeroblob(4000000)); DROP TABLE other";
    faults.db?.exec(freePages);
    let count = 0;
    faults.onStatement = (sql) => {
      if (sql.startsWith(failing) && existsSync(reserve) && count++ >= after)
        throw new SqlError(SQL_CODES.FULL, "database or disk is full");
    };
    const { signal } = new AbortController();
    const { bytesBefore, bytesAfter } = await durable.engine.commands.compact(signal);
    expect(bytesAfter).toBeLessThan(bytesBefore);
    expect(existsSync(reserve)).toBe(false);
    expect(usage().state).toBe("ok");

    // Without such space the client is told, and nothing is lost.
    faults.onStatement = (sql) => {
      if (sql.startsWith(failing)) throw new SqlError(SQL_CODES.FULL, "database or disk is full");
    };
    faults.db?.exec(freePages);
    await expect(durable.engine.commands.compact(signal)).rejects.toMatchObject({
      code: "trace_store_unavailable",
      message: "The disk of the trace store is full. Free some space on it, then try again.",
    });
    faults.onStatement = undefined;
    await expectToAddUp(1500);
    expect(usage()).toMatchObject({ state: "ok", traces: 1500 });
  });

  it("holds no space where little more than the minimum is free", async () => {
    await open({ minFreeBytes: 2 ** 30, freeBytes: () => 2 ** 30 + 2 ** 20 });
    await fill(0, 10);
    durable.clock.advance(1000);
    await tick();
    expect(usage().state).toBe("ok");
    expect(existsSync(join(durable.directory, "traces.reserve"))).toBe(false);
  });

  it("repeats what was not committed after one error of the disk, and loses nothing", async () => {
    await open({ maxTraces: 120, maxSpansPerTrace: 3 });
    await fill(0, 100);
    // Each statement fails once, wherever the engine is.
    let left = 1;
    let count = 0;
    for (let failing = 1; left > 0 || failing < 40; failing++) {
      if (failing > 400) throw new Error("The engine never gets through.");
      count = 0;
      left = 1;
      faults.onStatement = (sql) => {
        if (sql.startsWith("ROLLBACK") || sql.startsWith("PRAGMA")) return;
        if (++count !== failing || left === 0) return;
        left--;
        throw new SqlError(SQL_CODES.IOERR, "disk I/O error");
      };
      const n = 100 + failing;
      await durable.store.append(
        pipelineSpans([
          aSpan({ trace_id: `t${n}`, span_id: "a", status: "RUNNING" }),
          aSpan({ trace_id: `t${n}`, span_id: "a" }),
          aSpan({ trace_id: `t${n - 1}`, span_id: "late" }),
          anEvaluation("tone", 1, { trace_id: `t${n}`, span_id: "e" }),
        ]),
      );
      durable.clock.advance(1000);
      await tick();
      faults.onStatement = undefined;
      expect(usage()).toMatchObject({ state: "ok", unsaved: { io_error: 0, disk_full: 0 } });
      expect(await durable.store.evaluations(0, 1000)).toHaveLength(failing);
    }
    await durable.store.flush();
    expect(usage().traces).toBe(120);
    expect(await ids()).toHaveLength(120);
    const { spans, evicted } = usage();
    await durable.reopen();
    expect(usage().spans).toBe(spans);
    expect(evicted.max_traces).toBeGreaterThan(10);
    const sums = faults.db?.prepare("SELECT min(traces) AS least FROM chunk").get();
    expect(Number(sums?.["least"])).toBeGreaterThan(0);
  });

  it("counts spans as io_error while the file cannot be written", async () => {
    await open();
    await fill(0, 50);
    await durable.store.flush();
    faults.onStatement = (sql) => {
      if (sql.startsWith("COMMIT")) throw new SqlError(SQL_CODES.IOERR, "disk I/O error");
    };
    await fill(50, 100);
    durable.clock.advance(200);
    await tick();
    expect(usage()).toMatchObject({ state: "degraded", unsaved: { io_error: 50 } });
    // A client gets no stack, which has the paths of the server.
    expect(usage().reason).toBe("The file cannot be written: disk I/O error.");
    expect(lines.find(({ level }) => level === "ERROR")?.context).toMatchObject({
      error: expect.stringContaining("    at ") as string,
    });
    faults.onStatement = () => {
      throw new SqlError(SQL_CODES.IOERR, "disk I/O error");
    };
    await expect(durable.store.list({})).rejects.toThrow(
      /^The file of the trace store cannot be used: disk I\/O error\. Try again later\.$/,
    );
    faults.onStatement = undefined;
    durable.clock.advance(5000);
    await tick();
    await fill(100, 150);
    await expectToAddUp(150);
  });

  it("opens the file again when it could not be opened after an error", async () => {
    await open();
    await fill(0, 50);
    await durable.store.flush();
    faults.onStatement = () => {
      throw new SqlError(SQL_CODES.IOERR, "disk I/O error");
    };
    await fill(50, 100).catch(() => undefined);
    await expect(durable.store.list({})).rejects.toMatchObject({ code: "trace_store_unavailable" });
    faults.onStatement = undefined;
    durable.clock.advance(5000);
    await tick();
    await fill(100, 150);
    await durable.store.flush();
    expect(usage()).toMatchObject({ state: "ok", traces: 100, unsaved: { io_error: 50 } });
  });
});
