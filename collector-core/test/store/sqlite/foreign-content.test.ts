import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { traceKeyText } from "../../../src/span/trace-key-text.js";
import { openSqlite } from "../../../src/store/sqlite/driver/open-sqlite.js";
import type { SqlDatabase } from "../../../src/store/sqlite/driver/sqlite-driver.js";
import { decodeChunk, encodeChunk } from "../../../src/store/sqlite/records/chunk-codec.js";
import { sealJson } from "../../../src/store/sqlite/records/sealed.js";
import { createLogger } from "../../../src/logging/logger.js";
import { spansOf } from "../read-trace.js";
import { anEvaluation, aSpan, pipelineSpans } from "../span-batches.js";
import { openDurableStore, type DurableStore } from "./durable-store.js";
import { noiseOf } from "./noise.js";

/** Valid JSON of another shape. The last one is too deep for a structured clone. */
const TEXTS = [
  "null",
  "5",
  '"x"',
  "{}",
  "[]",
  "[5,[null]]",
  '[{"a":1},"s","e",null,5]',
  '{"dropped":{"count":1,"totals":null},"span":null,"context":{},"chunks":5}',
  "[".repeat(5000) + "]".repeat(5000),
];

/** Replaces texts of rows by a text with a valid checksum. */
const CHANGES: Readonly<Record<string, (db: SqlDatabase, text: string) => void>> = {
  summaries(db, text) {
    for (const { seq = null, trace_id: traceId } of db
      .prepare("SELECT seq, trace_id FROM trace_detail")
      .all())
      db.prepare("UPDATE trace_detail SET summary = ? WHERE seq = ?").run(
        sealJson(text, traceKeyText({ tenant: "", traceId: String(traceId) })),
        seq,
      );
  },
  states: (db, text) => void db.prepare("UPDATE trace_detail SET state = ?").run(sealJson(text, "")),
  evaluations(db, text) {
    const rows = db.prepare("SELECT seq, trace_hash, ended_ms FROM evaluation LIMIT 1").all();
    for (const { seq = null, trace_hash: hash, ended_ms: ended } of rows)
      db.prepare("UPDATE evaluation SET json = ? WHERE seq = ?").run(
        sealJson(text, `${String(hash)} ${String(ended)}`),
        seq,
      );
  },
  "value sets": (db, text) => void db.prepare("UPDATE value_set SET labels = ?").run(text),
  "evicted traces": (db, text) =>
    void db
      .prepare(
        "INSERT OR REPLACE INTO evicted (key_hash, at_ms, chunk, ordinal, chunks) " +
          "SELECT key_hash, 1, 1, 1, ? FROM trace_detail",
      )
      .run(text),
  "traces to erase": (db, text) =>
    void db.prepare("INSERT INTO erasing (tenant, trace_id, chunks) VALUES ('', 't0', ?)").run(text),
};

describe("a file that somebody else has written is read like a damaged one, with texts of another shape", () => {
  let durable: DurableStore;
  beforeEach(async () => {
    const logger = createLogger({ level: "CRITICAL", structured: false });
    durable = await openDurableStore({ logger });
    for (let n = 0; n < 5; n++)
      await durable.store.append(
        pipelineSpans([aSpan({ trace_id: `t${n}` }), anEvaluation("user", 1, { trace_id: `t${n}` })]),
      );
    await durable.store.flush();
  });
  afterEach(() => durable.close());

  it.each(Object.keys(CHANGES))("in the %s", async (name) => {
    for (const text of TEXTS) {
      await durable.store.stop();
      const db = openSqlite(durable.path);
      db.exec("PRAGMA locking_mode = EXCLUSIVE");
      CHANGES[name]?.(db, text);
      db.close();
      const store = await durable.reopen();
      const { traces } = await store.list({});
      expect(structuredClone(traces)).toHaveLength(5);
      await store.facets({});
      expect((await store.evaluations(0, 100)).length).toBeGreaterThanOrEqual(4);
      for (let n = 0; n < 5; n++) {
        const trace = await store.get({ tenant: "", traceId: `t${n}` });
        expect((await spansOf(trace)).length).toBeGreaterThan(1);
        trace?.release();
      }
      await store.append(pipelineSpans([aSpan({ trace_id: "t1" })]));
      await store.flush();
      expect(store.usage()).toMatchObject({ state: "ok", traces: 5 });
    }
  });
});

describe("a file that somebody else has written, with numbers that no collector writes", () => {
  const LARGEST = "9223372036854775807";
  /** A row like another one, with an id of its own. */
  const copyWithId = (table: string, id: string): ((db: SqlDatabase) => void) => {
    return (db) => {
      const columns = db
        .prepare(`SELECT name FROM pragma_table_info('${table}')`)
        .all()
        .map(({ name }) => String(name));
      const [key = ""] = columns;
      const others = columns.slice(1).join(", ");
      db.exec(`INSERT INTO ${table} (${key}, ${others}) SELECT ${id}, ${others} FROM ${table} LIMIT 1`);
    };
  };
  it.each<[string, (db: SqlDatabase) => void]>([
    ["a last trace", (db) => db.exec("UPDATE meta SET value = 9007199254740991 WHERE key = 'last_seq'")],
    ["a last trace below others", (db) => db.exec("UPDATE meta SET value = 1 WHERE key = 'last_seq'")],
    ["an open chunk", (db) => db.exec(`UPDATE meta SET value = ${LARGEST} WHERE key = 'open_chunk'`)],
    ["the id of a chunk", copyWithId("chunk", LARGEST)],
    ["a negative id of a chunk", copyWithId("chunk", "-5")],
    ["the sequence of a trace", (db) => db.exec(`UPDATE trace SET seq = ${LARGEST} WHERE seq = 2`)],
    ["the id of a value set", (db) => db.exec(`UPDATE value_set SET id = ${LARGEST}`)],
    [
      "the sequence of an evaluation",
      (db) => db.exec(`UPDATE evaluation SET seq = ${LARGEST} WHERE seq = 2`),
    ],
    ["a time as text", (db) => db.exec("UPDATE meta SET value = 'yesterday' WHERE key = 'created_ms'")],
    ["a clock", (db) => db.exec(`UPDATE meta SET value = ${LARGEST} WHERE key IN ('clock_ms', 'wall_ms')`)],
  ])("such as %s, is repaired when it is opened, and takes traces", async (_what, change) => {
    const logger = createLogger({ level: "CRITICAL", structured: false });
    const durable = await openDurableStore({ logger });
    try {
      const append = async (from: number, to: number): Promise<void> => {
        for (let n = from; n < to; n++)
          await durable.store.append(
            pipelineSpans([aSpan({ trace_id: `t${n}` }), anEvaluation("user", 1, { trace_id: `t${n}` })]),
          );
        await durable.store.flush();
      };
      await append(0, 5);
      // Its last chunk is closed when the store stops.
      await durable.store.stop();
      const db = openSqlite(durable.path);
      db.exec("PRAGMA locking_mode = EXCLUSIVE");
      change(db);
      db.close();
      const store = await durable.reopen();
      await append(5, 10);
      while (store.usage().rebuildProgress !== null) durable.engine.tick();
      const ids = async (): Promise<string[]> =>
        (await store.list({ limit: 100 })).traces.map((trace) => trace.trace_id);
      expect(await ids()).toEqual(expect.arrayContaining(["t5", "t6", "t7", "t8", "t9"]));
      expect(store.usage().state).toBe("ok");
      for (const n of [5, 9]) {
        const trace = await store.get({ tenant: "", traceId: `t${n}` });
        expect((await spansOf(trace)).length).toBeGreaterThan(0);
        trace?.release();
      }
      expect((await store.evaluations(0, 100)).length).toBeGreaterThanOrEqual(5);
      await durable.reopen();
      expect(durable.store.usage()).toMatchObject({ state: "ok" });
      expect((await durable.store.list({ limit: 100 })).traces.length).toBeGreaterThanOrEqual(5);
    } finally {
      await durable.close();
    }
  });
});

describe("a chunk that somebody else has written, with a valid checksum and other JSON than its header says", () => {
  it.each<[string, string, string]>([
    ["one span more", '{"name":"span', '{},{"name":"s'],
    ["a span without a trace", '"trace_id":"t1"', '"trace_xy":"t1"'],
    ["no JSON", '{"name"', '}"name"'],
  ])(
    "such as %s: its spans are left out and counted, and all others are exported",
    async (_what, from, to) => {
      const logger = createLogger({ level: "CRITICAL", structured: false });
      const durable = await openDurableStore({ logger });
      try {
        for (let n = 0; n < 4; n++) {
          const spans = [1, 2].map(() =>
            aSpan({ trace_id: `t${n}`, attributes: { text: noiseOf(n, 40_000) } }),
          );
          await durable.store.append(pipelineSpans(spans));
        }
        await durable.store.flush();
        await durable.store.stop();
        const db = openSqlite(durable.path);
        db.exec("PRAGMA locking_mode = EXCLUSIVE");
        const rows = db.prepare("SELECT id, codec, checksum, data FROM chunk WHERE data IS NOT NULL").all();
        let changed = 0;
        for (const { id = null, codec, checksum, data } of rows) {
          const raw = decodeChunk(Number(codec), Number(checksum), data as Uint8Array);
          const at = raw.indexOf('"trace_id":"t1"') < 0 ? -1 : raw.indexOf(from);
          if (at < 0) continue;
          raw.write(to, at);
          const encoded = encodeChunk(raw);
          db.prepare("UPDATE chunk SET codec = ?, checksum = ?, data = ? WHERE id = ?").run(
            encoded.codec,
            encoded.checksum,
            encoded.data,
            id,
          );
          changed++;
        }
        expect(changed).toBeGreaterThan(0);
        db.close();
        const store = await durable.reopen();
        const found: Record<string, number> = {};
        for (let n = 0; n < 4; n++) {
          const trace = await store.get({ tenant: "", traceId: `t${n}` });
          found[`t${n}`] = (await spansOf(trace)).length;
          trace?.release();
        }
        const left = Object.values(found).reduce((sum, count) => sum + count, 0);
        expect(left).toBeLessThan(8);
        expect(found["t3"]).toBe(2);
        expect((await store.list({ q: "nothing like it" })).traces).toEqual([]);
        await store.summaries([]);
        expect(store.usage().unsaved.corrupt_chunk).toBe(8 - left);
      } finally {
        await durable.close();
      }
    },
  );
});
