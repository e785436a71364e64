import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { availableDrivers, openSqlite } from "../../../src/store/sqlite/driver/open-sqlite.js";
import {
  SQL_CODES,
  SqlError,
  type SqlDatabase,
  type SqlDriver,
  type SqlValue,
} from "../../../src/store/sqlite/driver/sqlite-driver.js";
import { flipBytes } from "./flip-bytes.js";
import { temporaryDirectory } from "./temporary-directory.js";

function open(driver: SqlDriver, path = join(temporaryDirectory(), "test.db")): SqlDatabase {
  const db = openSqlite(path, driver);
  onTestFinished(() => db.close());
  return db;
}

function errorOf(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error("Nothing was thrown.");
}

function codeOf(action: () => unknown): number {
  const error = errorOf(action);
  expect(error).toBeInstanceOf(SqlError);
  return (error as SqlError).code;
}

it("takes node:sqlite where the runtime has it", () => {
  const [preferred] = availableDrivers();
  const db = openSqlite(join(temporaryDirectory(), "test.db"));
  expect(db.driver).toBe(preferred);
  db.close();
});

it.skipIf(availableDrivers().includes("node:sqlite"))("names the runtime that lacks node:sqlite", () => {
  expect(String(errorOf(() => openSqlite("unused", "node:sqlite")))).toContain(process.versions.node);
});

// A runtime without node:sqlite has the other driver only.
describe.each(availableDrivers())("driver %s", (driver) => {
  it("returns every value as it was bound", () => {
    const db = open(driver);
    db.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, value ANY) STRICT");
    const values: SqlValue[] = [
      null,
      0,
      -1,
      2 ** 31,
      Number.MAX_SAFE_INTEGER,
      -Number.MAX_SAFE_INTEGER,
      0.5,
      1e300,
      -Infinity,
      "",
      "text",
      "a\0b",
      "\0",
      "a\ud800b",
      "\udc00",
      "\uFFFF",
      '\uFFFF"x"',
      "😀",
      new Uint8Array(),
      Uint8Array.of(0, 255),
      Buffer.from("from a pool").subarray(5),
    ];
    for (const [id, value] of values.entries()) db.prepare("INSERT INTO t VALUES (?, ?)").run(id, value);

    const expected = values.map((value) => (value instanceof Uint8Array ? Uint8Array.from(value) : value));
    expect(
      db
        .prepare("SELECT value FROM t ORDER BY id")
        .all()
        .map(({ value }) => value),
    ).toEqual(expected);
    for (const [id, value] of expected.entries()) {
      if (value === null) continue;
      const found = db.prepare("SELECT id FROM t WHERE value = ? AND id = ?").get(value, id);
      expect(found, JSON.stringify(value)).toEqual({ id });
    }
  });

  it("returns any text and any number as it was bound", () => {
    const db = open(driver);
    const statement = db.prepare("SELECT ? AS text, ? AS number");
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        (text, number) => {
          // SQLite has no negative zero.
          expect(statement.get(text, number)).toEqual({ text, number: number === 0 ? 0 : number });
        },
      ),
    );
  });

  it("binds whole numbers as integers", () => {
    const db = open(driver);
    expect(db.prepare("SELECT ? / 2 AS half, typeof(?) AS type").get(5, 2 ** 40)).toEqual({
      half: 2,
      type: "integer",
    });
  });

  it("reads an integer that a number cannot hold as the nearest number, and the others as before", () => {
    const db = open(driver);
    const statement = db.prepare("SELECT 5 AS small, ? + 0 AS large");
    const row = { small: 5, large: 2 ** 62 };
    db.exec("CREATE TABLE t (small INTEGER, large INTEGER) STRICT");
    db.exec("INSERT INTO t VALUES (5, 4611686018427387905)");
    const stored = db.prepare("SELECT small, large FROM t");
    expect([stored.get(), stored.all()]).toEqual([row, [row]]);
    expect([stored.get(), statement.get(7)]).toEqual([row, { small: 5, large: 7 }]);
    db.exec("UPDATE t SET large = 9223372036854775807");
    const { large = null } = stored.get() ?? {};
    expect(large).toBe(2 ** 63 - 1024);
    // It can be written back.
    db.prepare("UPDATE t SET large = ?").run(large);
    expect(stored.get()).toEqual({ small: 5, large });
  });

  it("returns the row id and the number of changes as numbers", () => {
    const db = open(driver);
    db.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, value ANY) STRICT");
    const insert = db.prepare("INSERT INTO t (value) VALUES (?)");
    expect(insert.run("first")).toEqual({ changes: 1, lastInsertRowid: 1 });
    expect(insert.run("second")).toEqual({ changes: 1, lastInsertRowid: 2 });
    expect(db.prepare("UPDATE t SET value = ?").run("third").changes).toBe(2);
    expect(db.prepare("SELECT * FROM t WHERE id = ?").get(3)).toBeUndefined();
  });

  it("holds no lock after a read that stopped at the first row", () => {
    const db = open(driver);
    db.exec(
      "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; CREATE TABLE t (id INTEGER PRIMARY KEY)",
    );
    for (let id = 0; id < 100; id++) db.prepare("INSERT INTO t VALUES (?)").run(id);
    expect(db.prepare("SELECT id FROM t").get()).toEqual({ id: 0 });
    expect(db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()).toMatchObject({ busy: 0 });
    db.exec("DROP TABLE t");
  });

  it("uses a statement again after it failed", () => {
    const db = open(driver);
    db.exec("CREATE TABLE t (id INTEGER PRIMARY KEY) STRICT");
    const insert = db.prepare("INSERT INTO t VALUES (?)");
    insert.run(1);
    for (let attempt = 0; attempt < 3; attempt++)
      expect(codeOf(() => insert.run(1))).toBe(SQL_CODES.CONSTRAINT);
    expect(insert.run(2).changes).toBe(1);
  });

  it("keeps few statements prepared, and every statement usable", () => {
    const db = open(driver);
    const statements = Array.from({ length: 1000 }, (_, index) => db.prepare(`SELECT ${index} AS number`));
    for (const [number, statement] of statements.entries()) expect(statement.get()).toEqual({ number });
    expect(db.prepare("SELECT 1 AS number")).toBe(db.prepare("SELECT 1 AS number"));
  });

  it("gives the primary result code of each failure", () => {
    const directory = temporaryDirectory();
    const path = join(directory, "test.db");
    const db = open(driver, path);
    db.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL");
    db.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT UNIQUE) STRICT");
    db.prepare("INSERT INTO t VALUES (1, 'a')").run();

    expect(codeOf(() => db.exec("SELEC"))).toBe(SQL_CODES.ERROR);
    expect(codeOf(() => db.prepare("SELECT * FROM missing"))).toBe(SQL_CODES.ERROR);
    expect(codeOf(() => db.prepare("INSERT INTO t VALUES (2, 'a')").run())).toBe(SQL_CODES.CONSTRAINT);
    expect(codeOf(() => db.prepare("INSERT INTO t VALUES (2, ?)").run(Uint8Array.of(1)))).toBe(
      SQL_CODES.CONSTRAINT,
    );
    expect(codeOf(() => db.prepare("INSERT INTO t VALUES (?, 'b')").run("x"))).toBe(SQL_CODES.MISMATCH);

    db.exec("PRAGMA max_page_count = 10");
    expect(codeOf(() => db.prepare("INSERT INTO t VALUES (2, ?)").run("x".repeat(100_000)))).toBe(
      SQL_CODES.FULL,
    );

    const second = open(driver, path);
    expect(codeOf(() => second.prepare("SELECT * FROM t").all())).toBe(SQL_CODES.BUSY);

    writeFileSync(join(directory, "text.db"), "This is not a database.\n".repeat(100));
    expect(codeOf(() => open(driver, join(directory, "text.db")).exec("PRAGMA user_version = 1"))).toBe(
      SQL_CODES.NOTADB,
    );
    mkdirSync(join(directory, "directory.db"));
    expect(codeOf(() => open(driver, join(directory, "directory.db")))).toBe(SQL_CODES.CANTOPEN);

    db.close();
    expect(codeOf(() => db.exec("SELECT 1"))).toBe(SQL_CODES.MISUSE);
    expect(codeOf(() => db.prepare("SELECT 1"))).toBe(SQL_CODES.MISUSE);
  });

  it("reports damaged pages as corrupt", () => {
    const path = join(temporaryDirectory(), "test.db");
    const first = open(driver, path);
    first.exec("CREATE TABLE t (value TEXT); BEGIN");
    for (let row = 0; row < 1000; row++) first.prepare("INSERT INTO t VALUES (?)").run("x".repeat(100));
    first.exec("COMMIT");
    first.close();
    flipBytes(path, 4096, 100_000);
    const second = open(driver, path);
    expect(codeOf(() => second.prepare("SELECT * FROM t").all())).toBe(SQL_CODES.CORRUPT);
  });

  it("closes with prepared statements, twice, and leaves no files behind", () => {
    const path = join(temporaryDirectory(), "test.db");
    const db = open(driver, path);
    db.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; CREATE TABLE t (id INTEGER)");
    const statement = db.prepare("SELECT * FROM t");
    statement.all();
    db.close();
    db.close();
    expect(codeOf(() => statement.all())).toBe(SQL_CODES.MISUSE);
    for (const suffix of ["-wal", "-shm", ".lock"]) expect(existsSync(path + suffix)).toBe(false);
  });

  it("prints no warning", () => {
    const warnings: string[] = [];
    const listener = (warning: Error): void => void warnings.push(warning.message);
    process.on("warning", listener);
    onTestFinished(() => void process.removeListener("warning", listener));
    open(driver);
    expect(warnings).toEqual([]);
  });
});
