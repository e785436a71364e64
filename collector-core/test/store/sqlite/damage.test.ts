import { copyFileSync, mkdirSync, readdirSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openSqlite } from "../../../src/store/sqlite/driver/open-sqlite.js";
import type { SqlDatabase } from "../../../src/store/sqlite/driver/sqlite-driver.js";
import { spansOf } from "../read-trace.js";
import { aSpan, pipelineSpans } from "../span-batches.js";
import { openDurableStore, type DurableStore, type DurableStoreOptions } from "./durable-store.js";
import { openFaultyStore, type FaultyStore } from "./faulty-database.js";
import { flipBytes } from "./flip-bytes.js";
import { noiseOf } from "./noise.js";

describe("a durable store on a damaged file", () => {
  let durable: DurableStore;
  let faults: FaultyStore["faults"];
  let lines: FaultyStore["lines"];

  const open = async (options?: DurableStoreOptions): Promise<void> => {
    ({ durable, faults, lines } = await openFaultyStore(options));
  };
  afterEach(() => durable.close());

  /** Appends a trace of 20 spans: two of them are a chunk. */
  const fill = async (from: number, to: number): Promise<void> => {
    for (let n = from; n < to; n++)
      await durable.store.append(
        pipelineSpans(
          Array.from({ length: 20 }, (_, at) =>
            aSpan({ trace_id: `t${n}`, attributes: { prompt_text: noiseOf(n * 100 + at, 1500) } }),
          ),
        ),
      );
    await durable.store.flush();
  };
  const ids = async (q?: string): Promise<string[]> =>
    (await durable.store.list({ limit: 1000, ...(q !== undefined && { q }) })).traces.map(
      (trace) => trace.trace_id,
    );
  const spansIn = async (traceId: string) => {
    const trace = await durable.store.get({ tenant: "", traceId });
    const spans = await spansOf(trace);
    trace?.release();
    return spans;
  };
  /** Changes the file while it is closed. */
  const changeWith = async (edit: (db: SqlDatabase) => void): Promise<void> => {
    await durable.store.stop();
    const db = openSqlite(durable.path);
    db.exec("PRAGMA locking_mode = EXCLUSIVE");
    edit(db);
    db.close();
    await durable.reopen();
  };
  const change = (sql: string): Promise<void> => changeWith((db) => db.exec(sql));

  it("leaves the spans of a damaged chunk out, and counts them once", async () => {
    await open();
    await fill(0, 10);
    const middle = faults.db?.prepare(
      "SELECT id, spans FROM chunk WHERE data IS NOT NULL ORDER BY id LIMIT 1 OFFSET 2",
    );
    const { id, spans } = middle?.get() ?? {};
    await change(`UPDATE chunk SET data = zeroblob(length(data)) WHERE id = ${String(id)}`);
    expect(await ids()).toHaveLength(10);
    let found = 0;
    for (let round = 0; round < 2; round++) {
      found = 0;
      for (let n = 0; n < 10; n++) found += (await spansIn(`t${n}`)).length;
      expect(await ids("nothing like it")).toEqual([]);
    }
    expect(found).toBe(200 - Number(spans));
    await durable.store.summaries([]);
    expect(durable.store.usage()).toMatchObject({ state: "ok", unsaved: { corrupt_chunk: spans } });
    expect(lines.filter(({ message }) => message.includes("cannot be read"))).toHaveLength(1);
    // A trace with such spans goes on with the others, and so do the counts.
    for (let n = 0; n < 10; n++) await durable.store.append(pipelineSpans([aSpan({ trace_id: `t${n}` })]));
    await durable.store.flush();
    expect(durable.store.usage()).toMatchObject({ traces: 10, spans: found + 10 });
    await durable.reopen();
    expect(durable.store.usage()).toMatchObject({ traces: 10, spans: found + 10 });
    expect(faults.db?.prepare("SELECT count(*) AS n FROM chunk WHERE id = ?").get(Number(id))).toEqual({
      n: 0,
    });
  });

  describe("in the row of a trace", () => {
    const key = { tenant: "", traceId: "t1" };
    const answers = async () => {
      const { traces } = await durable.store.list({ limit: 100, order: "slowest" });
      return {
        traces,
        summary: (await durable.store.summaries([key]))[0],
        facets: await durable.store.facets({}),
      };
    };
    /** Changes one byte in the middle of a column of `t1`. */
    const damage = (column: string): Promise<void> =>
      changeWith((db) => {
        const kept = db
          .prepare(`SELECT ${column} AS kept FROM trace_detail WHERE trace_id = 't1'`)
          .get()?.kept;
        const bytes = Buffer.from(typeof kept === "string" ? kept : (kept as Uint8Array));
        const middle = bytes.length >> 1;
        // Stays ASCII, and is another byte whatever was there.
        bytes[middle] = bytes[middle] === 0x21 ? 0x22 : 0x21;
        db.prepare(`UPDATE trace_detail SET ${column} = ? WHERE trace_id = 't1'`).run(
          typeof kept === "string" ? bytes.toString() : bytes,
        );
      });
    const logged = (part: string): number => lines.filter(({ message }) => message.includes(part)).length;

    it("computes a damaged summary again from the spans, and says so once", async () => {
      await open();
      await fill(0, 4);
      const before = await answers();
      await damage("summary");
      expect(await answers()).toEqual(before);
      expect(await answers()).toEqual(before);
      expect(logged("The summary of a trace")).toBe(1);
      await durable.store.flush();
      await durable.reopen();
      expect(await answers()).toEqual(before);
      expect(logged("The summary of a trace")).toBe(1);
    });

    it("writes a damaged summary again when the trace is abandoned", async () => {
      await open();
      await durable.store.append(pipelineSpans([aSpan({ trace_id: "t1", status: "RUNNING" })]));
      await durable.store.flush();
      await damage("summary");
      durable.clock.advance(31 * 60_000);
      durable.engine.tick();
      expect(await durable.store.summaries([key])).toMatchObject([{ status: "ABANDONED", span_count: 1 }]);
      expect((await durable.store.list({ status: "ABANDONED" })).traces).toHaveLength(1);
    });

    it("keeps the spans of a trace whose state is damaged", async () => {
      await open();
      await fill(0, 4);
      const before = await answers();
      await damage("state");
      expect(await spansIn("t1")).toHaveLength(20);
      expect(await answers()).toEqual(before);
      await durable.store.append(pipelineSpans([aSpan({ trace_id: "t1" })]));
      expect(await spansIn("t1")).toHaveLength(21);
      expect(logged("The state of a trace")).toBe(1);
    });

    it("leaves out the spans of a trace whose places are damaged, counts them, and evicts it like others", async () => {
      await open({ ttlSeconds: 3600 });
      await fill(0, 4);
      const before = await answers();
      await damage("spans");
      expect(await answers()).toEqual(before);
      expect(await spansIn("t1")).toEqual([]);
      expect(await spansIn("t2")).toHaveLength(20);
      expect(await ids("nothing like it")).toEqual([]);
      await durable.store.summaries([]);
      expect(durable.store.usage().unsaved.corrupt_chunk).toBe(20);
      expect(logged("The list of the spans")).toBe(1);
      durable.clock.advance(3_700_000);
      durable.engine.tick();
      await durable.store.flush();
      expect(durable.store.usage()).toMatchObject({ state: "ok", traces: 0, evicted: { ttl: 4 } });
    });
  });

  it("leaves the records of the open chunk out if they are damaged", async () => {
    await open();
    await fill(0, 3);
    await durable.store.append(pipelineSpans([aSpan({ trace_id: "open" })]));
    await durable.store.flush();
    await change("UPDATE pending SET bytes = zeroblob(length(bytes))");
    expect(await ids()).toHaveLength(4);
    expect(await spansIn("open")).toEqual([]);
    await durable.store.append(pipelineSpans([aSpan({ trace_id: "open" }), aSpan({ trace_id: "new" })]));
    expect(await spansIn("open")).toHaveLength(1);
    await durable.reopen();
    expect(await spansIn("open")).toHaveLength(1);
    expect(await ids("span")).toEqual(expect.arrayContaining(["open", "new"]));
  });

  it("sets the file aside when SQLite finds damaged pages, keeps what was not committed, and starts empty", async () => {
    await open();
    await fill(0, 60);
    await durable.store.stop();
    await durable.reopen();
    // The first tick commits.
    durable.engine.tick();
    await durable.store.append(pipelineSpans([aSpan({ trace_id: "uncommitted" })]));
    // All but the first pages, which are read when the file is opened.
    flipBytes(durable.path, 30 * 4096, 400 * 4096);
    // The trace that is read when the damage is found ends with an error.
    for (let n = 0; n < 60; n++) await spansIn(`t${n}`).catch(() => undefined);
    await ids("nothing like it");
    await durable.store.flush();
    expect(await ids()).toEqual(["uncommitted"]);
    expect(durable.store.usage()).toMatchObject({ state: "ok", traces: 1, spans: 1 });
    await fill(100, 110);
    expect(await ids()).toHaveLength(11);
    expect(readdirSync(durable.directory).filter((name) => name.includes(".corrupt-"))).not.toEqual([]);
    expect(lines.some(({ message }) => message.includes("was damaged and starts empty"))).toBe(true);
    await durable.reopen();
    expect(await ids()).toHaveLength(11);
  });

  it("starts empty when the header is damaged, and says so", async () => {
    await open();
    await fill(0, 3);
    await durable.store.stop();
    flipBytes(durable.path, 0, 16);
    await durable.reopen();
    expect(await ids()).toEqual([]);
    expect(lines.some(({ message }) => message.includes("was damaged and starts empty"))).toBe(true);
    await fill(3, 6);
    expect(await ids()).toEqual(["t5", "t4", "t3"]);
  });

  it("has what was checkpointed when the end of the write-ahead log is lost", async () => {
    await open();
    await fill(0, 30);
    durable.clock.advance(5000);
    durable.engine.tick();
    await fill(30, 60);
    // As after a power loss: a part of the log never reached the disk.
    const copy = join(durable.directory, "copy");
    mkdirSync(copy);
    for (const suffix of ["", "-wal"]) copyFileSync(durable.path + suffix, join(copy, `traces.db${suffix}`));
    const wal = join(copy, "traces.db-wal");
    for (const share of [0.7, 0]) {
      truncateSync(wal, Math.floor(statSync(wal).size * share));
      const after = await openDurableStore({ directory: copy });
      const kept = (await after.store.list({ limit: 1000 })).traces.map((trace) => trace.trace_id);
      expect(kept.length).toBeGreaterThanOrEqual(30);
      expect(kept.length).toBeLessThan(60);
      // No gap: what came later is lost first.
      expect(kept).toEqual(kept.map((_, index) => `t${kept.length - 1 - index}`));
      for (const traceId of kept) {
        const trace = await after.store.get({ tenant: "", traceId });
        expect(await spansOf(trace)).toHaveLength(20);
        trace?.release();
      }
      expect(after.store.usage()).toMatchObject({ traces: kept.length, spans: kept.length * 20 });
      await after.store.stop();
      if (share > 0) copyFileSync(durable.path, join(copy, "traces.db"));
      if (share > 0) copyFileSync(`${durable.path}-wal`, wal);
    }
  });
});
