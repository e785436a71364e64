import { readFileSync, statSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { runAtOnce } from "../../../src/runtime/steps.js";
import { FilePages } from "../../../src/store/sqlite/file/file-pages.js";
import { UnusedBytes } from "../../../src/store/sqlite/file/unused-bytes.js";
import { openTraceFile, type TraceFile } from "../../../src/store/sqlite/open-trace-file.js";
import { randomRuns } from "../../random-runs.js";
import { noiseOf } from "./noise.js";
import { temporaryDirectory } from "./temporary-directory.js";

const SECRET = "sesame-open";

describe("the unused bytes of a file", () => {
  let file: TraceFile;
  let unused: UnusedBytes;

  beforeEach(() => {
    file = openTraceFile(temporaryDirectory(), { createdAtMs: 1, onEvent: () => undefined });
    unused = new UnusedBytes(file);
  });
  afterEach(() => file.close());

  /** A row in some order, with an overflow or not. */
  const addRow = (seed: number, text: string): void => {
    const key = Math.imul(seed + 1, 2654435761) >>> 8;
    const summary = text + noiseOf(seed, (key % 30) ** 2 * 5);
    file.db
      .prepare("INSERT INTO trace_detail (seq, key_hash, user_id, summary) VALUES (?, ?, ?, ?)")
      .run(key, key, noiseOf(key, 20) + text, summary);
  };
  const addRows = (from: number, to: number): void => {
    file.db.exec("BEGIN");
    for (let seed = from; seed < to; seed++) addRow(seed, seed % 3 === 0 ? SECRET : "");
    file.db.exec("COMMIT");
  };
  const removeRows = (): void => {
    file.db.exec(`
      PRAGMA secure_delete = ON;
      DELETE FROM trace_detail WHERE user_id LIKE '%${SECRET}';
      PRAGMA incremental_vacuum;
      PRAGMA wal_checkpoint(TRUNCATE);
    `);
  };
  const hasSecret = (): boolean => readFileSync(file.path).includes(SECRET);
  const rows = () => file.db.prepare("SELECT * FROM trace_detail ORDER BY seq").all();
  const expectSound = (): void =>
    expect(file.db.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);

  it("have rows that SQLite has moved, until they are erased", () => {
    for (let round = 0; round < 20; round++) addRows(round * 60, round * 60 + 60);
    removeRows();
    const before = rows();
    expect(before).toHaveLength(800);
    expect(hasSecret()).toBe(true);
    expect(runAtOnce(unused.erase())).toBe(true);
    expect(hasSecret()).toBe(false);
    expect(rows()).toEqual(before);
    expectSound();
    // Nor does SQLite remember them.
    for (const { seq } of before)
      file.db.prepare("UPDATE trace_detail SET tenant = 'a' WHERE seq = ?").run(Number(seq));
    file.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    expect(hasSecret()).toBe(false);
  });

  it("have text behind the last bytes of a long row, until they are erased", () => {
    const add = file.db.prepare("INSERT INTO pending (id, bytes) VALUES (?, ?)");
    for (let id = 0; id < 20; id++) add.run(id, Buffer.from(SECRET.repeat(200 + id * 50)));
    // As when a chunk is closed: its batches go in the transaction that adds the chunk.
    file.db.exec("BEGIN; DELETE FROM pending");
    for (let id = 0; id < 20; id++)
      file.db
        .prepare("INSERT INTO chunk (id, codec, data) VALUES (?, 0, ?)")
        .run(id, Buffer.from("x".repeat(2900 + id * 400)));
    file.db.exec("COMMIT; PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)");
    expect(hasSecret()).toBe(true);
    expect(runAtOnce(unused.erase())).toBe(true);
    expect(hasSecret()).toBe(false);
    expectSound();
    expect(
      file.db
        .prepare(
          "SELECT id, length(data) AS bytes, replace(CAST(data AS TEXT), 'x', '') AS others FROM chunk",
        )
        .all(),
    ).toEqual(Array.from({ length: 20 }, (_, id) => ({ id, bytes: 2900 + id * 400, others: "" })));
  });

  it("are erased from free pages, which stay free", () => {
    const freePages = () => Number(file.db.prepare("PRAGMA freelist_count").get()?.["freelist_count"]);
    const pages = () => Number(file.db.prepare("PRAGMA page_count").get()?.["page_count"]);
    const addLongRows = (text: string): void => {
      const add = file.db.prepare("INSERT INTO pending (id, bytes) VALUES (?, ?)");
      for (let id = 0; id < 100; id++) add.run(id, Buffer.from(text.repeat(8000)));
    };
    addLongRows(SECRET);
    file.db.exec("PRAGMA secure_delete = FAST; DELETE FROM pending; PRAGMA wal_checkpoint(TRUNCATE)");
    const free = freePages();
    // More than one page of the list of free pages has numbers of.
    expect(free * file.pageBytes).toBeGreaterThan((file.pageBytes / 4) * file.pageBytes);
    expect(hasSecret()).toBe(true);
    expect(runAtOnce(unused.erase())).toBe(true);
    expect(hasSecret()).toBe(false);
    expect(freePages()).toBe(free);
    expectSound();
    const before = pages();
    addLongRows("x".repeat(SECRET.length));
    expect(pages()).toBe(before);
    expect(freePages()).toBeLessThan(free / 10);
    expectSound();
    file.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    expect(hasSecret()).toBe(false);
  });

  it("are erased also from pages that are written meanwhile", () => {
    for (let round = 0; round < 20; round++) addRows(round * 60, round * 60 + 60);
    removeRows();
    expect(hasSecret()).toBe(true);
    const steps = unused.erase();
    let seed = 10_000;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) for (let n = 0; n < 5; n++) addRow(seed++, "");
    expect(step.value).toBe(true);
    expect(seed).toBeGreaterThan(10_050);
    expect(hasSecret()).toBe(false);
    file.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    expect(hasSecret()).toBe(false);
    expect(rows()).toHaveLength(800 + seed - 10_000);
    expectSound();
  });

  it("are erased also if every page is written between all steps", () => {
    for (let round = 0; round < 20; round++) addRows(round * 60, round * 60 + 60);
    removeRows();
    expect(hasSecret()).toBe(true);
    const steps = unused.erase();
    let count = 0;
    while (steps.next().done !== true) {
      count++;
      file.db.exec("UPDATE trace_detail SET tenant = tenant || 'x'");
      expect(count).toBeLessThan(200);
    }
    // Not at once, as without writers.
    expect(count).toBeGreaterThan(10);
    file.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    expect(hasSecret()).toBe(false);
    expect(rows()).toHaveLength(800);
    expectSound();
  });

  it("are erased while the log stays short, however much is written meanwhile", () => {
    const add = file.db.prepare("INSERT INTO pending (id, bytes) VALUES (?, ?)");
    const logBytes = (): number => statSync(`${file.path}-wal`).size;
    for (let round = 0; round < 20; round++) addRows(round * 60, round * 60 + 60);
    removeRows();
    const steps = unused.erase();
    let id = 0;
    let longest = 0;
    for (let step = steps.next(); step.done !== true; step = steps.next()) {
      for (let n = 0; n < 3 && id < 40; n++) add.run(id++, Buffer.alloc(2 ** 20, 1));
      longest = Math.max(longest, logBytes());
    }
    expect(id).toBe(40);
    expect(longest).toBeLessThan(22 * 2 ** 20);
    expect(hasSecret()).toBe(false);
    expectSound();
  });

  it("are erased whatever is done meanwhile: rows of all lengths come and go, pages are moved and freed", () => {
    const run = (seed: number): void => {
      file.db.exec("DELETE FROM trace_detail; DELETE FROM pending; PRAGMA secure_delete = FAST");
      for (let round = 0; round < 6; round++) addRows(round * 60, round * 60 + 60);
      const put = (id: number, text: string, length: number): void => {
        const bytes = Buffer.from(text.repeat(Math.ceil(length / text.length)));
        file.db.prepare("INSERT OR REPLACE INTO pending (id, bytes) VALUES (?, ?)").run(id, bytes);
      };
      for (let id = 0; id < 60; id++) put(id, id % 2 === 0 ? SECRET : "sound ", 300 * (id + seed));
      file.db.exec("DELETE FROM pending WHERE id % 2 = 0; PRAGMA wal_checkpoint(TRUNCATE)");
      expect(hasSecret()).toBe(true);
      file.db.exec(`PRAGMA secure_delete = ON; DELETE FROM trace_detail WHERE user_id LIKE '%${SECRET}'`);
      const steps = unused.erase();
      let random = seed + 1;
      const below = (bound: number): number => (random = (random * 48_271) % 2_147_483_647) % bound;
      const works: readonly (() => void)[] = [
        () => addRow(100_000 + below(1e6), ""),
        () => put(below(100), "others", below(20_000) + 1),
        () => file.db.prepare("DELETE FROM pending WHERE id = ?").run(below(100)),
        () => file.db.prepare("DELETE FROM trace_detail WHERE seq % 37 = ?").run(below(37)),
        () =>
          file.db.prepare("UPDATE trace_detail SET user_id = user_id || 'x' WHERE seq % 5 = ?").run(below(5)),
        // In place: the row stays in its page, and its overflow pages are written.
        () =>
          file.db.prepare("UPDATE pending SET bytes = zeroblob(length(bytes)) WHERE id = ?").run(below(100)),
        () => file.releasePages(below(30) + 1),
      ];
      let count = 0;
      for (let step = steps.next(); step.done !== true; step = steps.next()) {
        if (count++ < 200) for (let n = below(6); n > 0; n--) works[below(works.length)]?.();
        expect(count).toBeLessThan(2000);
      }
      expect([seed, hasSecret(), readFileSync(`${file.path}-wal`).includes(SECRET)]).toEqual([
        seed,
        false,
        false,
      ]);
      file.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      expect([seed, hasSecret()]).toEqual([seed, false]);
      expectSound();
      // Nor does SQLite remember them.
      file.db.exec(
        "UPDATE trace_detail SET tenant = tenant || 'y'; UPDATE pending SET bytes = zeroblob(length(bytes) + 1); PRAGMA wal_checkpoint(TRUNCATE)",
      );
      expect([seed, hasSecret()]).toEqual([seed, false]);
    };
    for (let seed = 0; seed < randomRuns(5); seed++) run(seed);
  });

  it("are erased again from the pages in the log, or from all where the log has begun again", () => {
    const pages = vi.spyOn(FilePages.prototype, "eraseUnused");
    onTestFinished(() => pages.mockRestore());
    const erasedPages = (): number => {
      pages.mockClear();
      expect(runAtOnce(unused.erase())).toBe(true);
      expect(hasSecret()).toBe(false);
      return pages.mock.calls.length;
    };
    for (let round = 0; round < 20; round++) addRows(round * 60, round * 60 + 60);
    removeRows();
    const all = erasedPages();
    file.db.exec(
      "PRAGMA secure_delete = FAST; UPDATE trace_detail SET tenant = 'b' WHERE seq IN (SELECT seq FROM trace_detail LIMIT 10)",
    );
    const changed = erasedPages();
    expect(changed).toBeGreaterThan(3);
    expect(changed).toBeLessThan(all / 2);
    for (let round = 20; round < 24; round++) addRows(round * 60, round * 60 + 60);
    file.db.exec("PRAGMA wal_checkpoint(PASSIVE)");
    // It begins again with this.
    addRow(20_000, "");
    removeRows();
    expect(erasedPages()).toBeGreaterThanOrEqual(all);
  });

  it("stay during a backup", () => {
    const release = file.holdCheckpoints();
    expect(runAtOnce(unused.erase())).toBe(false);
    release();
    expect(runAtOnce(unused.erase())).toBe(true);
  });
});
