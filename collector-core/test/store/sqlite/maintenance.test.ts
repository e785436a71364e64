import { FORMAT_VERSION } from "../../../src/store/sqlite/file/schema.js";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runAtOnce } from "../../../src/runtime/steps.js";
import { availableDrivers } from "../../../src/store/sqlite/driver/open-sqlite.js";
import { writeMeta } from "../../../src/store/sqlite/file/meta.js";
import { inTransaction } from "../../../src/store/sqlite/file/transaction.js";
import { freeBytesOf } from "../../../src/store/sqlite/free-bytes.js";
import { backUp, readBackup } from "../../../src/store/sqlite/maintenance/backup.js";
import { compact } from "../../../src/store/sqlite/maintenance/compact.js";
import { traceFileInfo } from "../../../src/store/sqlite/maintenance/trace-file-info.js";
import { verify } from "../../../src/store/sqlite/maintenance/verify.js";
import { openTraceFile, type TraceFile } from "../../../src/store/sqlite/open-trace-file.js";
import { encodeChunk } from "../../../src/store/sqlite/records/chunk-codec.js";
import { flipBytes } from "./flip-bytes.js";
import { temporaryDirectory } from "./temporary-directory.js";

describe.each(availableDrivers())("maintenance with %s", (driver) => {
  function open(directory: string): TraceFile {
    const onEvent = () => undefined;
    const file = openTraceFile(directory, { createdAtMs: 1000, driver, onEvent });
    onTestFinished(() => file.close());
    return file;
  }

  /** Adds chunks that do not compress, with spans of traces that are gone. */
  function fill({ db }: TraceFile, chunks: number): void {
    const addChunk = db.prepare(
      "INSERT INTO chunk (traces, spans, raw_bytes, codec, checksum, data) VALUES (0, 10, 60000, ?, ?, ?)",
    );
    inTransaction(db, () => {
      for (let index = 0; index < chunks; index++) {
        const raw = Buffer.from(
          Float64Array.from({ length: 3000 }, (_, at) => Math.sin(at * (index + 1))).buffer,
        );
        const { codec, checksum, data } = encodeChunk(raw);
        addChunk.run(codec, checksum, data);
      }
      writeMeta(db, "open_chunk", 1 + Number(db.prepare("SELECT max(id) AS id FROM chunk").get()?.["id"]));
    });
  }

  const chunkCount = ({ db }: TraceFile) => db.prepare("SELECT count(*) AS n FROM chunk").get()?.["n"];
  const setting = ({ db }: TraceFile, name: string) => db.prepare(`PRAGMA ${name}`).get()?.[name];

  it("tells what a file holds and how large it is", () => {
    const file = open(temporaryDirectory());
    expect(runAtOnce(traceFileInfo(file))).toMatchObject({
      traces: 0,
      chunks: 0,
      oldestMs: null,
      newestMs: null,
    });
    fill(file, 30);
    for (let index = 0; index < 30; index++)
      file.db.prepare("INSERT INTO trace (last_ms) VALUES (?)").run(5000 + index);
    const info = runAtOnce(traceFileInfo(file));
    expect(info).toMatchObject({
      path: file.path,
      storeId: file.storeId,
      createdAtMs: 1000,
      formatVersion: FORMAT_VERSION,
      driver,
      traces: 30,
      chunks: 30,
      chunkSpans: 300,
      rawBytes: 1_800_000,
      evaluations: 0,
      oldestMs: 5000,
      newestMs: 5029,
      pageBytes: 2048,
      freePages: 0,
    });
    expect(info.fileBytes).toBe(statSync(file.path).size);
    expect(info.logBytes).toBe(statSync(`${file.path}-wal`).size);
    expect(info.pages * 2048).toBeGreaterThan(30 * 10_000);
    expect(info.sqliteVersion).toMatch(/^3\.\d+/);
    expect(info.freeDiskBytes).toBeGreaterThan(0);
  });

  describe("verify", () => {
    it("finds nothing in a sound file", () => {
      const file = open(temporaryDirectory());
      fill(file, 30);
      const sound = { chunks: 30, damagedChunks: 0, problems: [] };
      expect(runAtOnce(verify(file))).toEqual(sound);
      expect(runAtOnce(verify(file, { isWhole: true }))).toEqual(sound);
    });

    it("does not take the chunk under way, which has a row without data, for a damaged one", () => {
      const file = open(temporaryDirectory());
      fill(file, 30);
      file.db.prepare("INSERT INTO chunk (traces) VALUES (1)").run();
      expect(runAtOnce(verify(file))).toEqual({ chunks: 30, damagedChunks: 0, problems: [] });
    });

    it("names a chunk whose bytes changed", () => {
      const file = open(temporaryDirectory());
      fill(file, 30);
      file.db.prepare("UPDATE chunk SET data = zeroblob(100) WHERE id IN (7, 9)").run();
      file.db.prepare("UPDATE chunk SET checksum = checksum + 1 WHERE id = 12").run();
      file.db.prepare("UPDATE chunk SET data = NULL WHERE id = 30").run();
      const { damagedChunks, problems } = runAtOnce(verify(file));
      expect(damagedChunks).toBe(4);
      expect(problems).toEqual([7, 9, 12, 30].map((id) => `chunk ${id} is damaged.`));
    });

    it("finds damaged pages, and goes on after them", () => {
      const directory = temporaryDirectory();
      const first = open(directory);
      fill(first, 200);
      first.close();
      const { size } = statSync(first.path);
      flipBytes(first.path, Math.floor(size / 2), Math.floor(size / 2) + 20_000);
      const file = open(directory);
      const { chunks, damagedChunks, problems } = runAtOnce(verify(file));
      expect(chunks).toBeGreaterThan(150);
      expect(damagedChunks).toBeGreaterThan(0);
      expect(problems).not.toEqual([]);
      expect(runAtOnce(verify(file, { isWhole: true })).problems).not.toEqual([]);
    });
  });

  it("verify reads the rows of every trace, and finds a damaged page among them", () => {
    const directory = temporaryDirectory();
    const first = open(directory);
    const add = first.db.prepare("INSERT INTO trace_detail (seq, summary) VALUES (?, ?)");
    inTransaction(first.db, () => {
      for (let seq = 1; seq <= 2000; seq++) add.run(seq, "x".repeat(1000));
    });
    const alone = "trace_detail 1 and 1999 more: no row in trace.";
    expect(runAtOnce(verify(first)).problems).toEqual([alone]);
    first.close();
    flipBytes(first.path, 1_000_000, 1_008_192);
    const { problems } = runAtOnce(verify(open(directory)));
    expect(problems[0]).toMatch(/^trace_detail cannot be read after \d+\.$/);
  });

  it("compact gives free pages back, in steps between which commits go on", () => {
    const file = open(temporaryDirectory());
    fill(file, 200);
    file.db.exec("DELETE FROM chunk WHERE id <= 180");
    const freeBefore = Number(setting(file, "freelist_count"));
    const steps = compact(file);
    let count = 0;
    while (steps.next().done !== true) {
      count++;
      file.db.prepare("INSERT INTO label (field, value) VALUES ('agent', ?)").run(`a${count}`);
    }
    expect(count).toBeGreaterThan(2);
    expect(freeBefore).toBeGreaterThan(500);
    expect(setting(file, "freelist_count")).toBe(0);
    expect(chunkCount(file)).toBe(20);
    expect(runAtOnce(verify(file)).problems).toEqual([]);
    expect(statSync(file.path).size).toBe(Number(setting(file, "page_count")) * 2048);
    expect(runAtOnce(compact(file)).bytesAfter).toBe(statSync(file.path).size);
  });

  it("compact tells how much shorter the file is", () => {
    const file = open(temporaryDirectory());
    fill(file, 200);
    file.db.exec("DELETE FROM chunk");
    const { bytesBefore, bytesAfter } = runAtOnce(compact(file));
    expect(bytesBefore).toBeGreaterThan(2_000_000);
    expect(bytesAfter).toBeLessThan(bytesBefore / 10);
  });

  describe("backup", () => {
    /** Opens the copy as the file of another directory. */
    function openCopy(copy: string): TraceFile {
      const directory = temporaryDirectory();
      writeFileSync(join(directory, "traces.db"), readFileSync(copy));
      return open(directory);
    }

    it("is the file as it was when it started, whatever is written meanwhile", () => {
      const file = open(temporaryDirectory());
      fill(file, 200);
      const target = join(temporaryDirectory(), "copy.db");
      const steps = backUp(file, target);
      let count = 0;
      while (steps.next().done !== true) {
        count++;
        file.db.exec("DELETE FROM chunk WHERE id <= 100");
        fill(file, 100);
        expect(file.checkpoint("PASSIVE")).toBe(false);
      }
      expect(count).toBeGreaterThan(2);
      expect(statSync(target).mode & 0o777).toBe(process.platform === "win32" ? 0o666 : 0o600);

      const copy = openCopy(target);
      expect(copy.storeId).toBe(file.storeId);
      expect(chunkCount(copy)).toBe(200);
      expect(runAtOnce(verify(copy, { isWhole: true })).problems).toEqual([]);

      expect(setting(file, "wal_autocheckpoint")).toBe(2048);
      expect(file.checkpoint("TRUNCATE")).toBe(true);
      expect(chunkCount(file)).toBe(100 + 100 * count);
      expect(runAtOnce(verify(file, { isWhole: true })).problems).toEqual([]);
    });

    it("may run twice at the same time", () => {
      const file = open(temporaryDirectory());
      fill(file, 200);
      const directory = temporaryDirectory();
      const first = backUp(file, join(directory, "first.db"));
      first.next();
      fill(file, 100);
      runAtOnce(backUp(file, join(directory, "second.db")));
      expect(file.checkpoint("PASSIVE")).toBe(false);
      runAtOnce(first);
      expect(file.checkpoint("PASSIVE")).toBe(true);
      expect(
        readFileSync(join(directory, "first.db")).equals(readFileSync(join(directory, "second.db"))),
      ).toBe(true);
      expect(chunkCount(openCopy(join(directory, "second.db")))).toBe(200);
    });

    it("leaves no part of a copy and no hold behind when it is given up", () => {
      const file = open(temporaryDirectory());
      fill(file, 200);
      const directory = temporaryDirectory();
      const steps = backUp(file, join(directory, "copy.db"));
      steps.next();
      steps.return(0);
      expect(readdirSync(directory)).toEqual([]);
      expect(file.checkpoint("TRUNCATE")).toBe(true);
    });

    it("does not replace a file, and does not start in a transaction", () => {
      const file = open(temporaryDirectory());
      fill(file, 10);
      const target = join(temporaryDirectory(), "copy.db");
      writeFileSync(target, "mine");
      expect(() => runAtOnce(backUp(file, target))).toThrow("EEXIST");
      expect(readFileSync(target, "utf8")).toBe("mine");

      file.db.exec("BEGIN IMMEDIATE; DELETE FROM trace");
      expect(() => readBackup(file).next()).toThrow(expect.objectContaining({ code: 5 }));
      file.db.exec("ROLLBACK");
      expect(readBackup(file).next().done).toBe(false);
    });

    it("ends with an error when the file is closed", () => {
      const file = open(temporaryDirectory());
      fill(file, 200);
      const parts = readBackup(file);
      parts.next();
      file.close();
      expect(() => parts.next()).toThrow(expect.objectContaining({ code: 21 }));
    });
  });
});

it("tells the free bytes of a file system", () => {
  const directory = temporaryDirectory();
  const free = freeBytesOf(directory);
  expect(free).toBeGreaterThan(0);
  expect(Number.isInteger(free)).toBe(true);
  expect(freeBytesOf(join(directory, "missing"))).toBe(Infinity);
});
