import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { anEvaluation, aSpan, pipelineSpans, type BatchOptions } from "../span-batches.js";
import { openDurableStore, type DurableStore, type DurableStoreOptions } from "./durable-store.js";
import { noiseOf } from "./noise.js";
import { FilePages } from "../../../src/store/sqlite/file/file-pages.js";
import { decodeChunk } from "../../../src/store/sqlite/records/chunk-codec.js";
import { openFaulty, type Faults } from "./faulty-database.js";
import { SQL_CODES, SqlError, type SqlDatabase } from "../../../src/store/sqlite/driver/sqlite-driver.js";
import type { Span } from "@obspan/sdk/wire";

/** The same in names, texts and labels. */
const SECRET = "sesame-open";
const KEY = { tenant: "", traceId: "secret" };

describe("the text of a trace that was removed", () => {
  let durable: DurableStore;
  let faults: Faults;

  const open = async (options: DurableStoreOptions = {}): Promise<void> => {
    faults = { db: undefined };
    durable = await openDurableStore({ openDatabase: openFaulty(faults), ...options });
  };
  beforeEach(() => open());
  afterEach(() => durable.close());

  const append = (spans: readonly Span[], options?: BatchOptions): Promise<void> =>
    durable.store.append(pipelineSpans(spans, options));
  const secret = (fields: Partial<Span> = {}): Span =>
    aSpan({
      trace_id: "secret",
      name: SECRET,
      ...fields,
      attributes: { prompt_text: SECRET, model: SECRET, user_id: SECRET, ...fields.attributes },
    });
  const others = (from: number, to: number): Span[] =>
    Array.from({ length: to - from }, (_, n) =>
      aSpan({ trace_id: `other-${from + n}`, attributes: { prompt_text: noiseOf(from + n, 400) } }),
    );
  const commit = async (): Promise<void> => {
    durable.clock.advance(1000);
    durable.engine.tick();
    await durable.store.flush();
  };

  /** Looks at the bytes of all files, and into every chunk. */
  const expectGone = async (): Promise<void> => {
    const names = readdirSync(durable.directory);
    expect(names).toContain("traces.db-wal");
    for (const name of names) {
      if (name.endsWith(".lock")) continue;
      const bytes = readFileSync(join(durable.directory, name));
      expect([name, bytes.includes(SECRET)]).toEqual([name, false]);
    }
    for (const { codec, checksum, data } of chunks(faults.db))
      expect(decodeChunk(Number(codec), Number(checksum), data as Uint8Array).includes(SECRET)).toBe(false);
    expect((await durable.store.list({ q: SECRET })).traces).toEqual([]);
  };
  const chunks = (db: SqlDatabase | undefined) =>
    db?.prepare("SELECT codec, checksum, data FROM chunk WHERE data IS NOT NULL").all() ?? [];

  it("is in none of the files, wherever the trace had it", async () => {
    await open({ maxSpansPerTrace: 3 });
    // Running versions that were replaced, spans that the cap dropped, in several chunks, and evaluations.
    for (let round = 0; round < 6; round++) {
      await append([...others(round * 300, round * 300 + 150), secret({ span_id: "a", status: "RUNNING" })]);
      await append([secret({ span_id: "a" }), secret({ span_id: `s${round}` })]);
      await append(others(round * 300 + 150, round * 300 + 300));
      await append([
        anEvaluation("tone", 1, { trace_id: "secret", attributes: { evaluation_label: SECRET } }),
      ]);
      await append([secret({ span_id: "a", status: "RUNNING" })], { service: SECRET, env: SECRET });
      if (round % 2 === 0) await commit();
    }
    expect(chunks(faults.db).length).toBeGreaterThan(6);
    expect(await durable.store.remove(KEY)).toBe(true);
    await expectGone();
    expect(durable.store.usage().traces).toBe(1800);
    expect(await durable.store.evaluations(0, 100)).toEqual([]);
    await commit();
    await durable.reopen();
    expect(durable.store.usage()).toMatchObject({ traces: 1800, spans: 1800 });
  });

  it("is in no page from which SQLite has moved its rows", async () => {
    const isSecret = (n: number): boolean => n % 6 === 0;
    const labelOf = (n: number): string => noiseOf(n, 12) + (isSecret(n % 1000) ? SECRET : "");
    for (let round = 0; round < 8; round++) {
      await append(
        Array.from({ length: 60 }, (_, index) => {
          const n = round * 60 + index;
          const attributes = {
            session_id: labelOf(n),
            user_id: labelOf(5000 + n),
            prompt_text: noiseOf(n, 400),
          };
          return aSpan({ trace_id: `moved-${n}`, attributes });
        }),
      );
      await commit();
    }
    const secrets = Array.from({ length: 480 }, (_, n) => n).filter(isSecret);
    await Promise.all(secrets.map((n) => durable.store.remove({ tenant: "", traceId: `moved-${n}` })));
    await expectGone();
    expect(durable.store.usage().traces).toBe(400);
  });

  it("is gone also if it was never committed, or only in part", async () => {
    await append([...others(0, 5), secret(), ...others(5, 10)]);
    expect(await durable.store.remove(KEY)).toBe(true);
    await expectGone();
    await append([secret()]);
    await commit();
    await append([secret()]);
    expect(await durable.store.remove(KEY)).toBe(true);
    await expectGone();
  });

  it("is gone also from the time before the trace was evicted", async () => {
    await open({ maxTraces: 60 });
    await append([...others(0, 20), secret(), ...others(20, 40)]);
    await append(others(40, 80));
    expect(await durable.store.summaries([KEY])).toEqual([undefined]);
    // Late, and not stored, but in a chunk.
    await append([anEvaluation("tone", 1, { trace_id: "secret", name: SECRET }), ...others(80, 81)]);
    await commit();
    await append([secret({ span_id: "again" })]);
    expect(await durable.store.remove(KEY)).toBe(true);
    await expectGone();
  });

  /** Time passes with every chunk that is written, so that each is a slice of its own. */
  const slowDown = (): void => {
    faults.onStatement = (sql) => {
      if (sql.startsWith("UPDATE chunk SET raw_bytes")) durable.clock.advance(10);
    };
  };
  const pendingErasures = () => faults.db?.prepare("SELECT count(*) AS n FROM erasing").get();

  it("is erased in steps, between which spans are stored and questions answered", async () => {
    for (let n = 0; n < 20; n++) await append([secret(), ...others(n * 150, n * 150 + 150)]);
    await commit();
    slowDown();
    const removed = durable.store.remove(KEY);
    const state = { isRemoved: false };
    void removed.then(() => (state.isRemoved = true));
    let appended = 0;
    while (!state.isRemoved) {
      await append([aSpan({ trace_id: `new-${appended++}` })]);
      expect(await durable.store.summaries([KEY])).toEqual([undefined]);
      await durable.store.list({ limit: 1 });
    }
    expect(await removed).toBe(true);
    expect(appended).toBeGreaterThan(2);
    await expectGone();
    await commit();
    expect(durable.store.usage().traces).toBe(3000 + appended);
  });

  it("is erased from a chunk once for all traces that are removed together", async () => {
    const keys = Array.from({ length: 100 }, (_, n) => ({ tenant: "", traceId: `secret-${n}` }));
    for (let round = 0; round < 4; round++)
      await append([
        ...keys.map(({ traceId }) => secret({ trace_id: traceId })),
        ...others(round * 150, round * 150 + 150),
      ]);
    await commit();
    const total = chunks(faults.db).length;
    let rewritten = 0;
    faults.onStatement = (sql) => {
      if (sql.startsWith("UPDATE chunk SET raw_bytes")) rewritten++;
    };
    const removed = await Promise.all(
      [...keys, { tenant: "", traceId: "unknown" }].map((key) => durable.store.remove(key)),
    );
    expect(removed).toEqual([...keys.map(() => true), false]);
    // The first request does not wait for the others.
    expect(rewritten).toBeLessThanOrEqual(2 * (total + 1));
    await expectGone();
    expect(durable.store.usage().evicted.cleared).toBe(100);
  });

  it("is erased also if the process ends meanwhile, but not that of a new trace of the same id", async () => {
    for (let n = 0; n < 10; n++) await append([secret(), ...others(n * 150, n * 150 + 150)]);
    await commit();
    slowDown();
    const removed = durable.store.remove(KEY);
    await append([aSpan({ trace_id: "secret", name: "later" })]);
    expect(pendingErasures()).toEqual({ n: 1 });
    // Stopping does not wait for the rest.
    await durable.store.stop();
    await expect(removed).rejects.toMatchObject({ code: "trace_store_unavailable" });
    faults.onStatement = undefined;
    await durable.reopen();
    expect(pendingErasures()).toEqual({ n: 1 });
    durable.engine.tick();
    while (durable.engine.isBusy) await commit();
    expect(pendingErasures()).toEqual({ n: 0 });
    await expectGone();
    expect(await durable.store.summaries([KEY])).toMatchObject([{ root_name: "later", span_count: 1 }]);
  });

  it("is erased also if the process ends when only unused bytes of the file have it", async () => {
    const isMeta = (): unknown =>
      faults.db?.prepare("SELECT value FROM meta WHERE key = 'erasing'").get()?.["value"];
    const hasText = (): boolean => readFileSync(join(durable.directory, "traces.db")).includes(SECRET);
    await append([secret(), ...others(0, 450)]);
    await commit();
    // As pages that were freed before.
    faults.db?.exec(
      `CREATE TABLE other (x TEXT) STRICT; INSERT INTO other VALUES ('${SECRET.repeat(20_000)}');
       PRAGMA wal_checkpoint(TRUNCATE); DROP TABLE other`,
    );
    faults.onStatement = (sql) => {
      if (sql === "PRAGMA shrink_memory") throw new SqlError(SQL_CODES.IOERR, "disk I/O error");
    };
    await expect(durable.store.remove(KEY)).rejects.toMatchObject({ code: "trace_store_unavailable" });
    expect(pendingErasures()).toEqual({ n: 0 });
    faults.onStatement = undefined;
    await durable.reopen();
    expect(isMeta()).toBe(1);
    expect(hasText()).toBe(true);
    while (durable.engine.isBusy) await commit();
    expect(isMeta()).toBe(0);
    await expectGone();
    await durable.reopen();
    expect(durable.store.usage()).toMatchObject({ state: "ok", traces: 450 });
  });

  it("is erased later if the file system refuses to open the file once more", async () => {
    await append([secret(), ...others(0, 450)]);
    await commit();
    const pages = vi.spyOn(FilePages.prototype, "freePages").mockImplementation(() => {
      throw Object.assign(new Error("EACCES: permission denied, open"), { code: "EACCES" });
    });
    onTestFinished(() => pages.mockRestore());
    await expect(durable.store.remove(KEY)).rejects.toMatchObject({
      code: "trace_store_unavailable",
      message: expect.stringContaining("EACCES") as string,
    });
    const attempts = pages.mock.calls.length;
    for (let tick = 0; tick < 50; tick++) durable.engine.tick();
    // Not with each tick.
    expect(pages.mock.calls.length - attempts).toBe(0);
    pages.mockRestore();
    durable.clock.advance(5000);
    while (durable.engine.isBusy) await commit();
    await expectGone();
    expect(durable.store.usage()).toMatchObject({ state: "ok", traces: 450 });
  });

  it("is gone when the store is cleared", async () => {
    await append([secret(), ...others(0, 300)]);
    await commit();
    await durable.store.clear();
    await expectGone();
  });
});
