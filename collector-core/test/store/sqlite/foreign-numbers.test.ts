import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import type { StoreMaintenance, TraceStore } from "../../../src/interfaces.js";
import { createLogger } from "../../../src/logging/logger.js";
import { openSqlite } from "../../../src/store/sqlite/driver/open-sqlite.js";
import type { SqlDatabase } from "../../../src/store/sqlite/driver/sqlite-driver.js";
import { encodeChunk, decodeChunk } from "../../../src/store/sqlite/records/chunk-codec.js";
import { HEADER, HEADER_BYTES } from "../../../src/store/sqlite/records/record-layout.js";
import { checksumOfRecords } from "../../../src/store/sqlite/records/sealed.js";
import { describeStore } from "../../../src/query/store-info.js";
import { spansOf } from "../read-trace.js";
import { anEvaluation, aSpan, pipelineSpans } from "../span-batches.js";
import { openDurableStore, type DurableStore } from "./durable-store.js";

const LARGEST = "9223372036854775807";
const TRACES = 6;

const logger = createLogger({ level: "CRITICAL", structured: false });

/** Fills a file. Each test has a copy of it. */
let filled: Promise<string> | undefined;
async function fillFile(): Promise<string> {
  const durable = await openDurableStore({ logger });
  for (let n = 0; n < TRACES; n++)
    await durable.store.append(
      pipelineSpans([
        aSpan({ trace_id: `t${n}`, attributes: { prompt_text: `${n} ${"x".repeat(15_000)}` } }),
        anEvaluation("user", 1, { trace_id: `t${n}` }),
      ]),
    );
  await durable.store.flush();
  await durable.store.remove({ tenant: "", traceId: "t0" });
  await durable.store.stop();
  return durable.directory;
}
afterAll(async () => {
  if (filled !== undefined) rmSync(await filled, { recursive: true, force: true });
});

let durable: DurableStore;
beforeEach(async () => {
  const directory = mkdtempSync(join(tmpdir(), "obspan-foreign-"));
  cpSync(await (filled ??= fillFile()), directory, { recursive: true });
  durable = await openDurableStore({ logger, directory });
});
afterEach(() => durable.close());

/** Changes the closed file, and opens it. */
async function reopenAfter(change: (db: SqlDatabase) => void) {
  await durable.store.stop();
  const db = openSqlite(durable.path);
  db.exec("PRAGMA locking_mode = EXCLUSIVE");
  change(db);
  db.close();
  const store = await durable.reopen();
  await durable.rebuilt();
  return store;
}

/** The ids of the traces in a list, after everything else was asked for and a span has arrived. */
async function idsAfterUse(): Promise<string[]> {
  const { store } = durable;
  await store.list({ q: "xxx" });
  await store.facets({});
  await store.sessions({});
  await store.evaluations(0, 100);
  for (let n = 0; n < TRACES; n++) {
    const trace = await store.get({ tenant: "", traceId: `t${n}` });
    await spansOf(trace);
    trace?.release();
  }
  for (const traceId of ["new", "t1"])
    await store.append(
      pipelineSpans([aSpan({ trace_id: traceId }), anEvaluation("user", 1, { trace_id: traceId })]),
    );
  durable.clock.advance(60_000);
  await store.flush();
  expect(store.usage()).toMatchObject({ state: "ok", reason: null });
  const { traces } = await store.list({ limit: 100 });
  const found = await store.get({ tenant: "", traceId: "new" });
  expect(await spansOf(found)).toHaveLength(2);
  found?.release();
  return traces.map((trace) => trace.trace_id);
}

const ALL = ["new", ...Array.from({ length: TRACES - 1 }, (_, index) => `t${TRACES - 1 - index}`)].sort();

describe("a file that somebody else has written", () => {
  it.each([
    ...["last_seq", "open_chunk"].flatMap((key) =>
      ["9007199254740991", LARGEST, "'yesterday'"].map((value) => [key, value] as const),
    ),
    ...["clock_ms", "wall_ms", "created_ms"].flatMap((key) =>
      ["1e300", "'yesterday'"].map((value) => [key, value] as const),
    ),
    ["codecs", LARGEST] as const,
    ["counts", "-5"] as const,
  ])("keeps its traces and receives others with %s = %s", async (key, value) => {
    await reopenAfter((db) =>
      db.exec(
        `INSERT INTO meta VALUES ('${key}', ${value}) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
      ),
    );
    expect((await idsAfterUse()).sort()).toEqual(ALL);
    const { maintenance } = durable.store as TraceStore & { maintenance: StoreMaintenance };
    const info = await maintenance.info();
    const described = describeStore(info, {
      disk_max_bytes: 0,
      disk_min_free_bytes: 0,
      ttl_seconds: 0,
      max_traces: null,
      state: "ok",
      reason: null,
      version: "1",
      task: null,
      rebuild_progress: null,
    });
    expect(Date.parse(described.created_at)).not.toBeNaN();
  });

  const newest = (table: string, id: string): string => `${id} = (SELECT max(${id}) FROM ${table})`;
  it.each([
    ...[
      ["trace", "seq"],
      ["trace_detail", "seq"],
      ["value_set", "id"],
      ["label", "id"],
      ["chunk_signature", "id"],
    ].map(([table = "", id = ""]) => `UPDATE ${table} SET ${id} = ${LARGEST} WHERE ${newest(table, id)}`),
    `UPDATE trace SET seq = -${LARGEST} WHERE ${newest("trace", "seq")}`,
    `UPDATE evaluation SET seq = ${LARGEST} WHERE ${newest("evaluation", "seq")}`,
    `UPDATE sqlite_sequence SET seq = ${LARGEST}`,
    "UPDATE sqlite_sequence SET seq = 'many'",
    `INSERT INTO pending (id, spans, checksum, bytes) VALUES (${LARGEST}, 5, 5, x'00')`,
    `INSERT INTO evicted (key_hash, at_ms, chunk, ordinal, chunks) VALUES (${LARGEST}, 1, 1, 1, '[]')`,
    `INSERT INTO erasing (id, tenant, trace_id, chunks) VALUES (${LARGEST}, '', 'other', '[]')`,
    `INSERT INTO stats_step (rowid, resolution, start_s, format, data) VALUES (${LARGEST}, 10, 1, 1, x'00')`,
    "INSERT INTO chunk (id, traces, spans, codec, checksum, data) VALUES (9223372036854775807, 1, 1, 1, 1, x'00')",
    "INSERT INTO chunk (id, traces, spans, codec, checksum, data) VALUES (2147483647, 1, 1, 1, 1, x'00')",
  ])("keeps its traces and receives others after %s", async (sql) => {
    await reopenAfter((db) => db.exec(sql));
    expect((await idsAfterUse()).sort()).toEqual(ALL);
  });

  it.each([
    ...["traces", "spans", "raw_bytes", "last_seq", "row_checksum", "codec", "checksum"].map(
      (c) => `chunk SET ${c}`,
    ),
    ...["value_set", "start_ns", "root_hash", "session", "checksum"].map((column) => `trace SET ${column}`),
    "trace_detail SET key_hash",
    "evaluation SET trace_hash",
    "value_set SET hash",
    "stats_step SET start_s",
  ])("answers with %s = the largest integer", async (column) => {
    await reopenAfter((db) => db.exec(`UPDATE ${column} = ${LARGEST}`));
    expect(await idsAfterUse()).toContain("new");
  });
});

describe("a file in which somebody else has emptied columns", () => {
  it.each(["spans", "summary", "state"])(
    "opens, and receives spans, without %s of traces",
    async (column) => {
      await reopenAfter((db) => {
        db.exec(`UPDATE trace_detail SET ${column} = NULL`);
        // Also the spans are counted again.
        db.exec("DELETE FROM meta WHERE key = 'counts'");
      });
      expect(await idsAfterUse()).toContain("new");
    },
  );
});

it("searches the chunk of a signature that somebody else has made megabytes long", async () => {
  await reopenAfter((db) => db.exec("UPDATE chunk_signature SET bits = zeroblob(4000000)"));
  const { traces } = await durable.store.list({ q: "xxxxx", limit: 100 });
  expect(traces).toHaveLength(TRACES - 1);
});

describe("a chunk with a record that is not what a collector writes", () => {
  /** Changes the second record of the first chunk, and gives it a matching checksum. */
  const reopenWith = (change: (raw: Buffer, bodyStart: number, end: number) => void) =>
    reopenAfter((db) => {
      const {
        id = null,
        codec,
        checksum,
        data,
      } = db.prepare("SELECT * FROM chunk WHERE data IS NOT NULL LIMIT 1").get() ?? {};
      const raw = decodeChunk(Number(codec), Number(checksum), data as Uint8Array);
      // The first record is of the removed trace.
      const record = raw.subarray(raw.readUInt32LE(HEADER.length));
      change(record, bodyStartOf(record), record.readUInt32LE(HEADER.length));
      const encoded = encodeChunk(raw);
      db.prepare("UPDATE chunk SET codec = ?, checksum = ?, data = ? WHERE id = ?").run(
        encoded.codec,
        encoded.checksum,
        encoded.data,
        id,
      );
    });
  const bodyStartOf = (raw: Buffer): number =>
    HEADER_BYTES + raw.readUInt32LE(HEADER.contextBytes) + raw.readUInt32LE(HEADER.noteBytes);
  const fill = (raw: Buffer, from: number, to: number, text: string): void => {
    raw.fill(0x20, from, to);
    raw.write(text, from);
  };

  it.each<[string, (raw: Buffer, bodyStart: number, end: number) => void]>([
    ["that says it has one more span", (raw) => raw.writeUInt32LE(3, HEADER.spanCount)],
    ["that says it has four billion spans", (raw) => raw.writeUInt32LE(2 ** 32 - 1, HEADER.spanCount)],
    ["without spans", (raw, from, to) => fill(raw, from, to, "{}")],
    ["that never ends", (raw, from, to) => fill(raw, from, to, '{"spans":[{"name":"a"')],
    ["of numbers", (raw, from, to) => fill(raw, from, to, '{"spans":[1]}')],
    ["of nothing", (raw, from, to) => fill(raw, from, to, '{"spans":[null]}')],
    ["without trace ids", (raw, from, to) => fill(raw, from, to, '{"spans":[{"name":"a"}]}')],
    [
      "nested 5000 levels deep",
      (raw, from, to) =>
        fill(
          raw,
          from,
          to,
          `{"spans":[{"name":"a","trace_id":"t1","attributes":{"a":${"[".repeat(5000)}${"]".repeat(5000)}}}]}`,
        ),
    ],
    ["whose context is no JSON", (raw) => raw.write("{{", HEADER_BYTES + 16)],
    ["whose time is none", (raw) => raw.writeDoubleLE(1e300, HEADER_BYTES + 8)],
  ])("leaves out and counts a record %s, and no other", async (_what, change) => {
    const { length: before } = await allSpans();
    await reopenWith(change);
    const left = await allSpans();
    expect(left.length).toBeLessThan(before);
    expect(left.length).toBeGreaterThanOrEqual(before - 10);
    expect(await idsAfterUse()).toContain("new");
    expect(durable.store.usage().unsaved).toMatchObject({ corrupt_chunk: expect.any(Number) });
  });

  it("does not lose the rest of the open chunk, or the start", async () => {
    await reopenAfter((db) => {
      const bytes = Buffer.from("not a record, but long enough for the header of one");
      db.prepare("INSERT INTO pending (id, spans, checksum, bytes) VALUES (1000, 1000000000000, ?, ?)").run(
        checksumOfRecords(bytes, 1e12),
        bytes,
      );
    });
    expect(await idsAfterUse()).toContain("new");
  });

  /** The spans of all traces, in order of arrival, as an export reads them. */
  async function allSpans(): Promise<unknown[]> {
    const spans: unknown[] = [];
    for await (const keys of durable.store.select({})) {
      for (const key of keys) {
        const trace = await durable.store.get(key);
        for await (const page of trace?.received ?? []) spans.push(...page);
        trace?.release();
      }
    }
    return spans;
  }
});
