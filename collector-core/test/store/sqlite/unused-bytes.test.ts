import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { runAtOnce } from "../../../src/runtime/steps.js";
import { FilePages } from "../../../src/store/sqlite/file/file-pages.js";
import { UnusedBytes } from "../../../src/store/sqlite/file/unused-bytes.js";
import { openTraceFile, type TraceFile } from "../../../src/store/sqlite/open-trace-file.js";
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
    for (; step.done !== true; step = steps.next())
      if (seed < 10_100) for (let n = 0; n < 5; n++) addRow(seed++, "");
    expect(step.value).toBe(true);
    expect(seed).toBe(10_100);
    expect(hasSecret()).toBe(false);
    file.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    expect(hasSecret()).toBe(false);
    expect(rows()).toHaveLength(900);
    expectSound();
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
