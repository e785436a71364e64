import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runAtOnce } from "../../../src/runtime/steps.js";
import { availableDrivers, openSqlite } from "../../../src/store/sqlite/driver/open-sqlite.js";
import { SqlError } from "../../../src/store/sqlite/driver/sqlite-driver.js";
import { readMeta, writeMeta } from "../../../src/store/sqlite/file/meta.js";
import { LABEL_FIELDS, TABLES } from "../../../src/store/sqlite/file/schema.js";
import { FILE_FORMAT } from "../../../src/store/sqlite/file/migrations.js";
import { inTransaction } from "../../../src/store/sqlite/file/transaction.js";
import { verify } from "../../../src/store/sqlite/maintenance/verify.js";
import {
  openTraceFile,
  TraceFileError,
  type OpenTraceFileOptions,
  type TraceFile,
  type TraceFileEvent,
} from "../../../src/store/sqlite/open-trace-file.js";
import { CHUNK_CODECS, encodeChunk } from "../../../src/store/sqlite/records/chunk-codec.js";
import { flipBytes } from "./flip-bytes.js";
import { toVersion2 } from "./older-files.js";
import { temporaryDirectory } from "./temporary-directory.js";

const CURRENT = FILE_FORMAT.version;
const CREATED_AT_MS = Date.UTC(2026, 0, 2, 3, 4, 5);

describe.each(availableDrivers())("a trace file, opened by %s", (driver) => {
  let directory = "";
  const events: TraceFileEvent[] = [];

  function open(options: Partial<OpenTraceFileOptions> = {}): TraceFile {
    const file = openTraceFile(directory, {
      createdAtMs: CREATED_AT_MS,
      driver,
      onEvent: (event) => void events.push(event),
      ...options,
    });
    onTestFinished(() => file.close());
    return file;
  }

  function failure(options: Partial<OpenTraceFileOptions> = {}): TraceFileError {
    try {
      open(options);
    } catch (error) {
      expect(error).toBeInstanceOf(TraceFileError);
      return error as TraceFileError;
    }
    throw new Error("The file was opened.");
  }

  function inNewDirectory(): string {
    events.length = 0;
    directory = join(temporaryDirectory(), "traces");
    return join(directory, "traces.db");
  }

  /** Creates a file with one chunk and one trace. */
  function create(): string {
    const path = inNewDirectory();
    const file = open();
    addChunk(file, "some text");
    file.db.prepare("INSERT INTO trace (seq, last_ms) VALUES (1, 1)").run();
    file.db
      .prepare("INSERT INTO evicted (key_hash, at_ms, chunk, ordinal, chunks) VALUES (5, 6, 1, 0, '[]')")
      .run();
    file.db.prepare("INSERT INTO pending (bytes) VALUES (?)").run(Buffer.from("bytes"));
    file.close();
    return path;
  }

  function addChunk({ db }: TraceFile, text: string): void {
    const { codec, checksum, data } = encodeChunk(Buffer.from(text));
    db.prepare("INSERT INTO chunk (traces, spans, codec, checksum, data) VALUES (1, 1, ?, ?, ?)").run(
      codec,
      checksum,
      data,
    );
  }

  const count = ({ db }: TraceFile, table: string) =>
    db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"];

  it("has the settings and the tables of its format", () => {
    const path = inNewDirectory();
    const { db } = open();
    const pragma = (name: string) => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    expect({
      journal: pragma("journal_mode"),
      locking: pragma("locking_mode"),
      synchronous: pragma("synchronous"),
      pageSize: pragma("page_size"),
      autoVacuum: pragma("auto_vacuum"),
      checkpoint: pragma("wal_autocheckpoint"),
      journalLimit: pragma("journal_size_limit"),
      cache: pragma("cache_size"),
      tempStore: pragma("temp_store"),
      cellCheck: pragma("cell_size_check"),
      application: pragma("application_id"),
      version: pragma("user_version"),
    }).toEqual({
      journal: "wal",
      locking: "exclusive",
      synchronous: 1,
      pageSize: 2048,
      autoVacuum: 2,
      checkpoint: 2048,
      journalLimit: 64 * 1024 * 1024,
      cache: -16_384,
      tempStore: 2,
      cellCheck: 1,
      application: 0x4f627370,
      version: CURRENT,
    });
    const tables = db.prepare("SELECT name, strict FROM pragma_table_list WHERE schema = 'main'").all();
    const own = tables.filter(({ name }) => !String(name).startsWith("sqlite_"));
    expect(own.map(({ name }) => name).sort()).toEqual(Object.keys(TABLES).sort());
    expect(own.every(({ strict }) => strict === 1)).toBe(true);
    expect(LABEL_FIELDS).toEqual(expect.arrayContaining(["tenant", "status", "evaluation"]));
    expect(existsSync(path)).toBe(true);
  });

  it.skipIf(process.platform === "win32")("is readable by its owner only, with all files beside it", () => {
    const path = inNewDirectory();
    const file = open();
    addChunk(file, "some text");
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    const names = readdirSync(directory).filter((name) => !name.endsWith(".lock"));
    expect(names).toContain("traces.db-wal");
    for (const name of [...names, "traces.lock"])
      expect([name, statSync(join(directory, name)).mode & 0o777]).toEqual([name, 0o600]);
    file.close();

    chmodSync(path, 0o644);
    open();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("keeps the id, the seed and the rows, and leaves one file when it is closed", () => {
    inNewDirectory();
    const first = open();
    addChunk(first, "some text");
    first.close();
    first.close();
    expect(readdirSync(directory)).toEqual(["traces.db"]);

    const second = open({ createdAtMs: CREATED_AT_MS + 1000 });
    expect(second.storeId).toBe(first.storeId);
    expect(second.hashSeed).toEqual(first.hashSeed);
    expect(second.hashSeed).toHaveLength(2);
    expect(second.createdAtMs).toBe(CREATED_AT_MS);
    expect(second.needsRebuild).toBe(false);
    expect(count(second, "chunk")).toBe(1);
    expect(events).toEqual([]);
  });

  it("gives each file an id and a seed of its own", () => {
    inNewDirectory();
    const first = open();
    inNewDirectory();
    const second = open();
    expect(second.storeId).not.toBe(first.storeId);
    expect(second.hashSeed).not.toEqual(first.hashSeed);
  });

  it("refuses a file that is open, and opens it when it was closed", () => {
    const path = inNewDirectory();
    const first = open();
    const error = failure();
    expect(error.reason).toBe("in_use");
    expect(error.message).toContain(path);
    expect(error.message).toContain(`process ${process.pid}`);
    first.close();
    open();
  });

  it("takes over the lock of a dead thread of this process", () => {
    inNewDirectory();
    mkdirSync(directory);
    const first = open();
    const lock = readFileSync(join(directory, "traces.lock"));
    first.close();
    writeFileSync(join(directory, "traces.lock"), lock);
    expect(failure().reason).toBe("in_use");
    open({ isOwnThreadDead: true });
  });

  it("opens a file whose lock directory was left by a killed process", () => {
    const path = create();
    mkdirSync(`${path}.lock`);
    expect(count(open(), "chunk")).toBe(1);
  });

  it("opens after kill -9 with what was committed, and refuses a file that another process has open", async () => {
    const path = inNewDirectory();
    const module = new URL("../../../dist/store/sqlite/open-trace-file.js", import.meta.url).href;
    const program = `
      import { openTraceFile } from ${JSON.stringify(module)};
      const options = { createdAtMs: 1, driver: ${JSON.stringify(driver)}, onEvent() {} };
      const { db } = openTraceFile(${JSON.stringify(directory)}, options);
      for (let id = 1; id <= 50; id++) db.prepare("INSERT INTO label (field, value) VALUES ('agent', ?)").run(String(id));
      db.exec("BEGIN; DELETE FROM label");
      console.log("ready");
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program]);
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    expect(failure().message).toContain(`${path} is in use by process ${child.pid ?? ""}.`);

    const exit = once(child, "exit");
    child.kill("SIGKILL");
    await exit;
    const file = open();
    expect(count(file, "label")).toBe(50);
    expect(runAtOnce(verify(file, { isWhole: true })).problems).toEqual([]);
    file.close();
    expect(readdirSync(directory)).toEqual(["traces.db"]);
  });

  describe("versions", () => {
    it("refuses a newer file, names both versions and the path, and changes nothing", () => {
      const path = create();
      setHeader(path, 60, 70);
      const before = readFileSync(path);
      const error = failure();
      expect(error.reason).toBe("newer");
      expect(error.message).toContain(path);
      expect(error.message).toMatch(new RegExp(`\\b70\\b.*\\b${CURRENT}\\b`));
      expect(readFileSync(path).equals(before)).toBe(true);
    });

    it("migrates an older file in one transaction", () => {
      create();
      const format = {
        version: CURRENT + 2,
        migrations: {
          [CURRENT]: (db: TraceFile["db"]) => db.exec("ALTER TABLE trace ADD COLUMN first INTEGER"),
          [CURRENT + 1]: (db: TraceFile["db"]) => db.exec("ALTER TABLE trace ADD COLUMN second INTEGER"),
        },
      };
      const file = open({ format });
      expect(file.db.prepare("SELECT first, second FROM trace").get()).toEqual({ first: null, second: null });
      expect(file.db.prepare("PRAGMA user_version").get()).toEqual({ user_version: CURRENT + 2 });
      expect(file.needsRebuild).toBe(false);
      expect(events).toMatchObject([{ type: "migrated", from: CURRENT, to: CURRENT + 2 }]);
      file.close();
      expect(failure().reason).toBe("newer");
    });

    it("opens a file of version 1", () => {
      create();
      const older = open();
      toVersion2(older.db);
      older.db.exec("DROP TABLE erasing; DROP INDEX evicted_by_time; PRAGMA user_version = 1");
      older.close();
      const file = open();
      expect(events).toMatchObject([{ type: "rebuild", from: 1, to: CURRENT }]);
      expect([file.needsRebuild, count(file, "chunk"), count(file, "erasing")]).toEqual([true, 1, 0]);
    });

    it("leaves the file as it was if a migration fails", () => {
      create();
      const format = {
        version: CURRENT + 1,
        migrations: {
          [CURRENT]: (db: TraceFile["db"]) =>
            db.exec("ALTER TABLE trace ADD COLUMN first INTEGER; SELECT * FROM missing"),
        },
      };
      expect(failure({ format }).reason).toBe("unreadable");
      const file = open();
      expect(file.db.prepare("SELECT * FROM trace").get()).not.toHaveProperty("first");
      expect(count(file, "chunk")).toBe(1);
      expect(events).toEqual([]);
    });

    it("keeps only what cannot be rebuilt where a migration is missing, under a new id", () => {
      create();
      const first = open();
      first.close();
      const format = { version: CURRENT + 1, migrations: {} };
      const second = open({ format });
      expect(second.needsRebuild).toBe(true);
      expect(second.storeId).not.toBe(first.storeId);
      // The hashes of evicted traces stay.
      expect(second.hashSeed).toEqual(first.hashSeed);
      expect([count(second, "chunk"), count(second, "pending"), count(second, "evicted")]).toEqual([1, 1, 1]);
      expect([count(second, "trace"), count(second, "trace_detail"), count(second, "label")]).toEqual([
        0, 0, 0,
      ]);
      expect(events).toMatchObject([{ type: "rebuild", from: CURRENT, to: CURRENT + 1 }]);
      second.close();

      // The rebuild was interrupted.
      const third = open({ format });
      expect(third.needsRebuild).toBe(true);
      third.markRebuilt();
      third.close();
      expect(open({ format }).needsRebuild).toBe(false);
    });
  });

  describe("codecs", () => {
    it("remembers the codecs of the chunks", () => {
      inNewDirectory();
      const file = open();
      expect(readMeta(file.db, "codecs")).toBe(0);
      addChunk(file, "some text");
      addChunk(file, "more text");
      const { codec } = encodeChunk(Buffer.from("x"));
      expect(readMeta(file.db, "codecs")).toBe(1 << codec);
      file.db.prepare("UPDATE chunk SET codec = ? WHERE id = 1").run(9);
      expect(readMeta(file.db, "codecs")).toBe((1 << codec) | (1 << 9));
    });

    it("refuses a file with a codec that it cannot read, unless the chunks are gone", () => {
      const path = create();
      const file = open();
      file.db.prepare("UPDATE chunk SET codec = 9").run();
      file.close();
      const error = failure();
      expect(error.reason).toBe("unreadable");
      expect(error.message).toContain(path);
      expect(error.message).toContain("codec 9");

      const db = openSqlite(path, driver);
      db.exec("PRAGMA locking_mode = EXCLUSIVE; DELETE FROM chunk");
      db.close();
      open();
    });

    it.skipIf(CHUNK_CODECS.zstd === encodeChunk(Buffer.from("x")).codec)(
      "names the version of Node.js that reads Zstandard",
      () => {
        create();
        const file = open();
        file.db.prepare("UPDATE chunk SET codec = ?").run(CHUNK_CODECS.zstd);
        file.close();
        expect(failure().message).toContain("Node.js 22.15 or later");
      },
    );
  });

  describe("damage", () => {
    function expectSetAside(path: string): void {
      const damaged = readFileSync(path);
      const file = open();
      expect(count(file, "chunk")).toBe(0);
      const keptAs = `${path}.corrupt-2026-01-02T03-04-05Z`;
      expect(events).toMatchObject([{ type: "corrupt", path, keptAs }]);
      expect(readFileSync(keptAs).equals(damaged)).toBe(true);
    }

    it("sets a file of other bytes aside", () => {
      const path = inNewDirectory();
      mkdirSync(directory);
      writeFileSync(path, "This is not a database.\n".repeat(1000));
      expectSetAside(path);
    });

    it.each([1, 15, 16, 99])("sets a file that ends after %d bytes aside", (length) => {
      const path = create();
      truncateSync(path, length);
      expectSetAside(path);
    });

    it("starts with an empty file of no bytes, without an event", () => {
      const path = create();
      truncateSync(path, 0);
      expect(count(open(), "chunk")).toBe(0);
      expect(events).toEqual([]);
    });

    it("sets a file with a damaged schema aside", () => {
      const path = create();
      flipBytes(path, 100, 4096);
      expectSetAside(path);
    });

    it("sets a file aside that is found damaged while it is open", () => {
      create();
      open({ isKnownCorrupt: true });
      expect(events).toMatchObject([{ type: "corrupt" }]);
    });

    it("keeps one damaged file, the latest, with its log", () => {
      const path = create();
      for (const [index, text] of ["first", "second"].entries()) {
        writeFileSync(path, text);
        writeFileSync(`${path}-wal`, `log of ${text}`);
        open({ createdAtMs: CREATED_AT_MS + index * 1000 }).close();
      }
      const kept = `traces.db.corrupt-2026-01-02T03-04-06Z`;
      expect(readdirSync(directory).sort()).toEqual(["traces.db", kept, `${kept}-wal`]);
      expect(readFileSync(join(directory, kept), "utf8")).toBe("second");
      expect(readFileSync(join(directory, `${kept}-wal`), "utf8")).toBe("log of second");
    });

    it("opens, sets aside or refuses a file whatever byte of its header is damaged", () => {
      const path = create();
      const intact = readFileSync(path);
      for (let offset = 0; offset < 100; offset++) {
        const damaged = Buffer.from(intact);
        damaged[offset] = (damaged[offset] ?? 0) ^ 0xff;
        writeFileSync(path, damaged);
        events.length = 0;
        try {
          const file = open();
          if (events.length === 0) expect([offset, count(file, "chunk")]).toEqual([offset, 1]);
          file.close();
        } catch (error) {
          expect(error, `byte ${offset}`).toBeInstanceOf(TraceFileError);
          expect(readFileSync(path).equals(damaged), `byte ${offset}`).toBe(true);
        }
      }
    });

    it("replays no log of a file that is gone", () => {
      const path = inNewDirectory();
      const file = open();
      addChunk(file, "some text");
      const log = readFileSync(`${path}-wal`);
      file.close();
      truncateSync(path, 0);
      writeFileSync(`${path}-wal`, log);
      const next = open();
      expect(count(next, "chunk")).toBe(0);
      expect(next.storeId).not.toBe(file.storeId);
    });
  });

  describe("what is not ours", () => {
    it("refuses a database of another program, and does not change it", () => {
      const path = inNewDirectory();
      mkdirSync(directory);
      const db = openSqlite(path, driver);
      db.exec("PRAGMA application_id = 1; CREATE TABLE t (id INTEGER)");
      db.close();
      const before = readFileSync(path);
      const error = failure();
      expect(error.reason).toBe("unreadable");
      expect(error.message).toContain(path);
      expect(readFileSync(path).equals(before)).toBe(true);
      expect(readdirSync(directory)).toEqual(["traces.db"]);
    });

    it("refuses a directory in the place of the file, and a file in the place of the directory", () => {
      const path = inNewDirectory();
      mkdirSync(path, { recursive: true });
      expect(failure()).toMatchObject({ reason: "unreadable", message: expect.stringContaining(path) });
      inNewDirectory();
      writeFileSync(directory, "");
      expect(failure()).toMatchObject({ reason: "unreadable", message: expect.stringContaining(directory) });
    });

    it
      .skipIf(process.platform === "win32")
      .each(["traces.db", "traces.db-wal", "traces.lock", "traces.reserve"])(
      "refuses a named pipe called %s, and does not wait for it",
      (name) => {
        const path = join(create(), "..", name);
        rmSync(path, { force: true });
        spawnSync("mkfifo", [path]);
        const { reason, message } = failure();
        expect({ reason, message }).toEqual({
          reason: "unreadable",
          message: `${path} is not a regular file. Remove it, or set trace_store.path to another directory.`,
        });
        rmSync(path);
        open();
      },
    );

    it.skipIf(process.platform === "win32")("refuses a link in the place of the reserve", () => {
      const target = join(create(), "..", "target");
      writeFileSync(target, "not ours");
      const link = join(directory, "traces.reserve");
      symlinkSync(target, link);
      expect(failure()).toMatchObject({ reason: "unreadable", message: expect.stringContaining(link) });
      expect(readFileSync(target, "utf8")).toBe("not ours");
    });

    it.each([
      ["a view", "ALTER TABLE view RENAME TO other; CREATE VIEW view AS SELECT 1 AS id, 2 AS json"],
      [
        "a view that never ends",
        "ALTER TABLE meta RENAME TO other; CREATE VIEW meta AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) " +
          "SELECT x AS key, x AS value FROM n",
      ],
      ["a trigger", "CREATE TRIGGER other AFTER INSERT ON trace BEGIN DELETE FROM trace; END"],
      [
        "a trigger with the name of another one",
        "DROP TRIGGER chunk_codec_added; CREATE TRIGGER chunk_codec_added AFTER INSERT ON chunk BEGIN DELETE FROM trace; END",
      ],
      ["a table", "CREATE TABLE other (id INTEGER)"],
      ["an index", "CREATE INDEX other ON chunk (data)"],
      [
        "an index of another expression",
        "DROP INDEX trace_by_last; CREATE INDEX trace_by_last ON trace (hex(zeroblob(last_ms)))",
      ],
      [
        "a check",
        "DROP TABLE view; CREATE TABLE view (id TEXT PRIMARY KEY, json TEXT CHECK (length(json) > 1)) STRICT",
      ],
      [
        "a computed column",
        "DROP TABLE view; CREATE TABLE view (id TEXT PRIMARY KEY, json TEXT AS (hex(id))) STRICT",
      ],
      ["a default", "ALTER TABLE view ADD COLUMN other TEXT DEFAULT 'x'"],
      ["a table that is not strict", "DROP TABLE view; CREATE TABLE view (id TEXT PRIMARY KEY, json TEXT)"],
    ])("sets a file with %s aside that no version has written", (_, sql) => {
      const path = create();
      const db = openSqlite(path, driver);
      db.exec(`PRAGMA locking_mode = EXCLUSIVE; ${sql}`);
      db.close();
      const file = open();
      expect(count(file, "chunk")).toBe(0);
      expect(events).toMatchObject([
        { type: "corrupt", problem: expect.stringContaining("is not one of a trace file") },
      ]);
    });

    it.skipIf(process.platform === "win32" || process.getuid?.() === 0)(
      "refuses a file without permission",
      () => {
        const path = create();
        chmodSync(directory, 0o500);
        onTestFinished(() => chmodSync(directory, 0o700));
        expect(failure()).toMatchObject({ reason: "unreadable", message: expect.stringContaining(path) });
      },
    );

    it.each([
      [5, "in_use"],
      [8, "unreadable"],
      [10, "unreadable"],
      [14, "unreadable"],
    ])("refuses a file that SQLite reports with code %d, without changing it", (code, reason) => {
      const path = create();
      const before = readFileSync(path);
      const openDatabase = () => {
        throw new SqlError(code, "the cause");
      };
      expect(failure({ openDatabase }).reason).toBe(reason);
      expect(readFileSync(path).equals(before)).toBe(true);
      expect(count(open(), "chunk")).toBe(1);
    });
  });

  it("rolls a failed transaction back", () => {
    inNewDirectory();
    const { db } = open();
    expect(() =>
      inTransaction(db, () => {
        writeMeta(db, "clock_ms", 1);
        throw new Error("stop");
      }),
    ).toThrow("stop");
    expect(readMeta(db, "clock_ms")).toBe(CREATED_AT_MS);
    expect(inTransaction(db, () => "done")).toBe("done");
  });
});

function setHeader(path: string, offset: number, value: number): void {
  const bytes = readFileSync(path);
  bytes.writeInt32BE(value, offset);
  writeFileSync(path, bytes);
}
