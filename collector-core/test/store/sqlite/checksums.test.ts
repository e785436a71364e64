import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqlite } from "../../../src/store/sqlite/driver/open-sqlite.js";
import type { SqlDatabase, SqlRow } from "../../../src/store/sqlite/driver/sqlite-driver.js";
import { decodePlaces } from "../../../src/store/sqlite/engine/span-places.js";
import { FILE_FORMAT } from "../../../src/store/sqlite/file/migrations.js";
import { decodeChunk } from "../../../src/store/sqlite/records/chunk-codec.js";
import { spansOf } from "../read-trace.js";
import { anEvaluation, aSpan, pipelineSpans } from "../span-batches.js";
import type { DurableStore } from "./durable-store.js";
import { openFaultyStore, type FaultyStore } from "./faulty-database.js";
import { noiseOf } from "./noise.js";
import { toVersion2, toVersion3 } from "./older-files.js";

describe("a durable store with a changed bit", () => {
  let durable: DurableStore;
  let faults: FaultyStore["faults"];
  let lines: FaultyStore["lines"];

  beforeEach(async () => {
    ({ durable, faults, lines } = await openFaultyStore());
  });
  afterEach(() => durable.close());

  const append = async (...spans: Parameters<typeof pipelineSpans>[0][number][]): Promise<void> => {
    await durable.store.append(pipelineSpans(spans));
    await durable.store.flush();
  };
  /** Appends traces of three spans, each trace in a row of `pending`. */
  const fill = async (from: number, to: number): Promise<void> => {
    for (let n = from; n < to; n++) {
      const span_ids = ["a", "b", "c"];
      await append(
        ...span_ids.map((span_id) => aSpan({ trace_id: `t${n}`, span_id, attributes: { cost_usd: n / 8 } })),
      );
    }
  };
  /** Changes the file while it is closed. */
  const whileClosed = async (change: (db: SqlDatabase) => void): Promise<void> => {
    await durable.store.stop();
    const db = openSqlite(durable.path);
    db.exec("PRAGMA locking_mode = EXCLUSIVE");
    change(db);
    db.close();
    await durable.reopen();
  };
  const ids = async (): Promise<string[]> =>
    (await durable.store.list({ limit: 1000 })).traces.map((trace) => trace.trace_id);
  const spanCount = async (traceId: string): Promise<number> => {
    const trace = await durable.store.get({ tenant: "", traceId });
    const spans = await spansOf(trace);
    trace?.release();
    return spans.length;
  };
  const problems = async (): Promise<readonly string[]> =>
    (await durable.engine.commands.verify(new AbortController().signal)).problems;
  const logged = (text: string): number => lines.filter(({ message }) => message.includes(text)).length;
  const rows = (sql: string): SqlRow[] => faults.db?.prepare(sql).all() ?? [];

  describe("in the records of the open chunk", () => {
    it.each([0, 1, 3])("loses the spans of row %i alone, and counts them", async (damaged) => {
      await fill(0, 4);
      expect(await problems()).toEqual([]);
      const id = rows(`SELECT id FROM pending ORDER BY id LIMIT 1 OFFSET ${damaged}`)[0]?.["id"];
      faults.db?.exec(flipBitOf("pending", "bytes", `id = ${String(id)}`));
      expect(await problems()).toEqual([`pending ${String(id)} is damaged: its records.`]);
      await durable.reopen();
      const counts = async () => Promise.all([0, 1, 2, 3].map((n) => spanCount(`t${n}`)));
      const left = [3, 3, 3, 3].with(damaged, 0);
      expect(await counts()).toEqual(left);
      await durable.store.summaries([]);
      expect(durable.store.usage()).toMatchObject({ state: "ok", traces: 4, unsaved: { corrupt_chunk: 3 } });
      expect(logged("A chunk of the trace store cannot be read")).toBe(1);
      // New spans get other places.
      await fill(4, 6);
      await append(aSpan({ trace_id: `t${damaged}`, span_id: "new" }));
      for (let round = 0; round < 2; round++) {
        expect(await counts()).toEqual(left.with(damaged, 1));
        expect([await spanCount("t4"), await spanCount("t5")]).toEqual([3, 3]);
        await durable.reopen();
      }
      expect(logged("A chunk of the trace store cannot be read")).toBe(1);
    });

    it.each(["spans", "checksum"])("finds it in the column %s too", async (column) => {
      await fill(0, 3);
      faults.db?.exec(`UPDATE pending SET ${column} = ${column} + 64 WHERE id = 2`);
      await durable.reopen();
      expect(await Promise.all([0, 1, 2].map((n) => spanCount(`t${n}`)))).toEqual([3, 0, 3]);
      await durable.store.summaries([]);
      expect(durable.store.usage().unsaved.corrupt_chunk).toBe(3);
    });

    it("loses the spans of that row alone in a rebuild", async () => {
      await fill(0, 4);
      faults.db?.exec(flipBitOf("pending", "bytes", "id = 2"));
      const { directory } = durable;
      await durable.store.stop();
      const newer = { ...FILE_FORMAT, version: FILE_FORMAT.version + 1 };
      ({ durable, faults, lines } = await openFaultyStore({ directory, format: newer }));
      await durable.rebuilt();
      expect(await ids()).toEqual(["t3", "t2", "t0"]);
      expect(durable.store.usage()).toMatchObject({ spans: 9, unsaved: { corrupt_chunk: 3 } });
    });
  });

  describe("in the numbers of a trace", () => {
    const numbers = (): SqlRow[] =>
      rows(
        "SELECT value_set, start_ms, start_ns, duration_ms, cost_usd, tokens_input, tokens_output, ttft_ms, root_hash, running_until_ms, key_hash " +
          "FROM trace JOIN trace_detail USING (seq) WHERE trace_id = 't1'",
      );

    it.each([
      "trace.value_set",
      "trace.start_ms",
      "trace.start_ns",
      "trace.duration_ms",
      "trace.cost_usd",
      "trace.tokens_input",
      "trace.tokens_output",
      "trace.ttft_ms",
      "trace.last_ms",
      "trace.root_hash",
      "trace.running_until_ms",
      "trace.checksum",
      "trace_detail.key_hash",
    ])("computes them again when %s is read", async (name) => {
      const [table = "", column = ""] = name.split(".");
      await fill(0, 4);
      const before = numbers();
      const summaries = (await durable.store.list({ limit: 10 })).traces;
      await whileClosed((db) =>
        db.exec(
          `UPDATE ${table} SET ${column} = coalesce(${column}, 0) + 64 ` +
            "WHERE seq = (SELECT seq FROM trace_detail WHERE trace_id = 't1')",
        ),
      );
      expect(await problems()).toEqual(["trace 2 is damaged: its numbers."]);
      expect((await durable.store.list({ limit: 10 })).traces).toEqual(summaries);
      expect(logged("The numbers of a trace")).toBe(1);
      await durable.store.flush();
      expect(numbers()).toEqual(before);
      expect(await problems()).toEqual([]);
      expect(
        (await durable.store.list({ limit: 10, order: "costliest" })).traces.map((t) => t.trace_id),
      ).toEqual(["t3", "t2", "t1", "t0"]);
      expect(await spanCount("t1")).toBe(3);
      await durable.reopen();
      expect(numbers()).toEqual(before);
      expect(logged("The numbers of a trace")).toBe(1);
      expect(durable.store.usage()).toMatchObject({ state: "ok", traces: 4, spans: 12 });
    });

    /** A duration that no other row has. */
    const DURATION_MS = 1234.578125;

    it.each([
      ["the row", 0],
      ["an index", 1],
    ])("keeps the file if the bit is in the bytes of %s", async (_where, place) => {
      const times = { start_time: "2026-03-01T12:00:00.000Z", duration_ms: DURATION_MS };
      await fill(0, 3);
      await append(aSpan({ trace_id: "flipped", ...times }));
      await fill(3, 6);
      await durable.store.stop();
      const bytes = readFileSync(durable.path);
      const places = placesOf(bytes, DURATION_MS);
      expect(places).toHaveLength(2);
      const at = places[place] ?? 0;
      bytes.writeUInt8(bytes.readUInt8(at + 3) ^ 1, at + 3);
      writeFileSync(durable.path, bytes);
      await durable.reopen();
      expect(await ids()).toHaveLength(7);
      // Writes the row, whose index entry is another one.
      await append(aSpan({ trace_id: "flipped", span_id: "late", ...times }));
      expect(await ids()).toHaveLength(7);
      expect(await spanCount("flipped")).toBe(2);
      expect(logged("is set aside")).toBe(0);
      expect(logged("did not agree with its table")).toBe(1);
      expect(await problems()).toEqual([]);
      const [integrity] = rows("PRAGMA integrity_check");
      expect(integrity).toEqual({ integrity_check: "ok" });
      expect(await durable.store.remove({ tenant: "", traceId: "flipped" })).toBe(true);
      await durable.store.flush();
      expect(durable.store.usage()).toMatchObject({ state: "ok", traces: 6, spans: 18 });
    });
  });

  it("leaves out an evaluation whose text or numbers changed, says so once, and keeps the others", async () => {
    await append(aSpan({ trace_id: "t" }));
    for (let n = 0; n < 4; n++)
      await append(anEvaluation("tone", n / 4, { trace_id: "t", span_id: `e${n}` }));
    faults.db?.exec(
      `${flipBitOf("evaluation", "json", "seq = 2")}; UPDATE evaluation SET ended_ms = 7 WHERE seq = 3`,
    );
    expect(await problems()).toEqual([2, 3].map((seq) => `evaluation ${seq} is damaged: its text.`));
    const kept = async (limit: number): Promise<(string | undefined)[]> =>
      (await durable.store.evaluations(0, limit)).map(({ span }) => span.span_id);
    expect(await kept(100)).toEqual(["e0", "e3"]);
    await durable.reopen();
    expect(await kept(100)).toEqual(["e0", "e3"]);
    // A page of damaged ones is not the last page.
    expect((await durable.store.evaluations(1, 1)).map(({ span }) => span.span_id)).toEqual(["e3"]);
    expect(logged("An evaluation in the trace store is damaged")).toBe(4);
    expect(await spanCount("t")).toBe(5);
  });

  describe("in the numbers of a chunk", () => {
    const numbers = (): SqlRow[] => rows("SELECT id, traces, spans FROM chunk ORDER BY id");
    const noise = (n: number) => ({ prompt_text: noiseOf(n, 20_000) });

    /** Fills several chunks, each with some of the traces. */
    const fillChunks = async (): Promise<void> => {
      for (let n = 0; n < 12; n++) await append(aSpan({ trace_id: `c${n}`, attributes: noise(n) }));
      expect(numbers().length).toBeGreaterThan(3);
    };

    it.each(["traces", "spans", "raw_bytes", "last_ms", "last_seq", "row_checksum"])(
      "computes them again when %s changed, and removes no chunk too early",
      async (column) => {
        await fillChunks();
        const before = numbers();
        await whileClosed((db) => db.exec(`UPDATE chunk SET ${column} = ${column} - 1 WHERE id = 2`));
        expect(await problems()).toEqual(["chunk 2 is damaged: its numbers."]);
        const own = rows("SELECT trace_id FROM trace_detail ORDER BY seq").map((row) =>
          String(row["trace_id"]),
        );
        // One of the traces of the chunk goes: the others keep their spans.
        let removed = "";
        for (const traceId of own) {
          const text = noiseOf(Number(traceId.slice(1)), 20_000).slice(100, 130);
          expect((await durable.store.list({ q: text })).traces.map((trace) => trace.trace_id)).toEqual([
            traceId,
          ]);
          removed ||= (await chunkOf(traceId)) === 2 ? traceId : "";
        }
        expect(await durable.store.remove({ tenant: "", traceId: removed })).toBe(true);
        await durable.store.flush();
        expect(logged("The numbers of a chunk")).toBe(1);
        const left = Number(before.find(({ id }) => id === 2)?.["traces"]) - 1;
        expect(numbers().find(({ id }) => id === 2)?.["traces"] ?? 0).toBe(left);
        expect(await problems()).toEqual([]);
        for (const traceId of own) expect(await spanCount(traceId)).toBe(traceId === removed ? 0 : 1);
      },
    );

    const chunkOf = async (traceId: string): Promise<number> => {
      const places = rows(`SELECT spans FROM trace_detail WHERE trace_id = '${traceId}'`)[0]?.["spans"];
      return decodePlaces(places).spans[0]?.chunk ?? 0;
    };

    it("indexes all traces in a rebuild", async () => {
      await fillChunks();
      await whileClosed((db) =>
        db.exec("UPDATE chunk SET traces = 7, last_ms = 1e15, last_seq = 0 WHERE id = 2"),
      );
      const { directory } = durable;
      await durable.store.stop();
      const newer = { ...FILE_FORMAT, version: FILE_FORMAT.version + 1 };
      ({ durable, faults, lines } = await openFaultyStore({ directory, format: newer, ttlSeconds: 3600 }));
      await durable.rebuilt();
      expect(await ids()).toHaveLength(12);
      durable.clock.advance(7_200_000);
      expect(await ids()).toEqual([]);
      await durable.store.flush();
      expect(numbers().filter(({ traces }) => Number(traces) > 0)).toEqual([]);
    });
  });

  it("forgets an evicted trace whose row changed, and remembers the others", async () => {
    const { directory } = durable;
    await durable.store.stop();
    ({ durable, faults, lines } = await openFaultyStore({ directory, maxTraces: 2 }));
    for (let n = 0; n < 5; n++) await append(aSpan({ trace_id: `e${n}` }));
    const evaluate = (traceId: string) =>
      append(anEvaluation("tone", 1, { trace_id: traceId, span_id: `late-${traceId}` }));
    const [first] = rows("SELECT key_hash FROM evicted ORDER BY at_ms, rowid LIMIT 1");
    faults.db?.exec(
      `UPDATE evicted SET ordinal = ordinal + 8 WHERE key_hash = ${String(first?.["key_hash"])}`,
    );
    expect(await problems()).toEqual([`evicted ${String(first?.["key_hash"])} is damaged: its place.`]);
    for (const traceId of ["e0", "e1", "e2"]) await evaluate(traceId);
    await durable.store.flush();
    expect(durable.store.usage().lateEvaluations).toBe(2);
    expect(logged("What the trace store remembers of an evicted trace")).toBe(1);
  });

  it("looks for the text of a removed trace in all chunks if its list changed, and keeps all other traces", async () => {
    const noise = (n: number) => ({ prompt_text: noiseOf(n, 20_000) });
    for (let n = 0; n < 12; n++) await append(aSpan({ trace_id: `r${n}`, attributes: noise(n) }));
    let stopAt = "UPDATE chunk SET raw_bytes";
    faults.onStatement = (sql) => {
      if (sql.startsWith(stopAt)) throw new Error("The process ends here.");
    };
    await durable.store.remove({ tenant: "", traceId: "r5" }).catch(() => undefined);
    await whileClosed((db) => {
      stopAt = "never";
      const [row] = db.prepare("SELECT chunks FROM erasing").all();
      expect(row?.["chunks"]).toMatch(/^\[\d+\]#/);
      db.exec("UPDATE erasing SET chunks = replace(chunks, '[', '[7')");
    });
    for (let step = 0; step < 20; step++) {
      durable.clock.advance(1000);
      durable.engine.tick();
      await durable.store.flush();
    }
    expect(rows("SELECT * FROM erasing")).toEqual([]);
    expect(logged("The list of chunks with text of a removed trace")).toBe(1);
    const text = (n: number) => noiseOf(n, 20_000).slice(100, 130);
    for (const { codec, checksum, data } of rows("SELECT * FROM chunk WHERE data IS NOT NULL"))
      expect(decodeChunk(Number(codec), Number(checksum), data as Uint8Array).includes(text(5))).toBe(false);
    for (let n = 0; n < 12; n++) expect(await spanCount(`r${n}`)).toBe(n === 5 ? 0 : 1);
    expect(await problems()).toEqual([]);
  });

  it.each([
    ["reads the labels of traces from what they are linked to, and writes them again", false],
    ["reads the labels of traces from their spans if what they are linked to changed too", true],
  ])("%s", async (_what, areLinksDamaged) => {
    await append(
      aSpan({ trace_id: "a", attributes: { model: "gpt-5" } }),
      aSpan({ trace_id: "b", attributes: { model: "other" } }),
    );
    const before = await durable.store.facets({});
    await whileClosed((db) => {
      db.exec("UPDATE value_set SET labels = replace(labels, 'gpt-5', 'gpt-4')");
      if (areLinksDamaged) db.exec("UPDATE label SET value = 'gpt-7' WHERE value = 'gpt-5'");
    });
    expect(await problems()).toEqual([expect.stringMatching(/^value_set \d+ is damaged: its labels\.$/)]);
    await durable.store.facets({});
    await append(aSpan({ trace_id: "c" }));
    await durable.store.remove({ tenant: "", traceId: "c" });
    expect(await durable.store.facets({})).toEqual(before);
    expect((await durable.store.list({ model: "gpt-5" })).traces.map((trace) => trace.trace_id)).toEqual([
      "a",
    ]);
    expect(await problems()).toEqual([]);
    expect(logged("The labels of traces in the trace store are damaged")).toBe(1);
  });

  it("leaves out a step of the statistics that changed, and reads those before it", async () => {
    const steps = Array.from({ length: 5 }, (_, n) => ({
      resolutionSeconds: 10,
      startSeconds: 1000 + n * 10,
      format: 1,
      data: Buffer.from(`step ${n}`),
    }));
    await durable.engine.commands.putStatsSteps(steps);
    faults.db?.exec("UPDATE stats_step SET data = x'00' WHERE start_s > 1010");
    expect(await problems()).toHaveLength(3);
    const read = await durable.engine.commands.statsSteps(10, 10_000);
    expect(read.map(({ startSeconds }) => startSeconds)).toEqual([1010, 1000]);
    await durable.store.summaries([]);
    expect(logged("A step of the statistics")).toBe(3);
  });

  it("counts again what the file has if its counts changed", async () => {
    await fill(0, 4);
    await whileClosed((db) =>
      db.exec("UPDATE meta SET value = replace(value, '4', '5') WHERE key = 'counts'"),
    );
    expect(durable.store.usage()).toMatchObject({ traces: 4, spans: 12 });
    await fill(4, 5);
    await durable.reopen();
    expect(durable.store.usage()).toMatchObject({ traces: 5, spans: 15 });
  });

  it("reads a file of version 3, which has none of the checksums of version 4, and indexes it again with them", async () => {
    await fill(0, 3);
    await whileClosed(toVersion3);
    await durable.rebuilt();
    expect(await problems()).toEqual([]);
    expect(await Promise.all([0, 1, 2].map((n) => spanCount(`t${n}`)))).toEqual([3, 3, 3]);
    expect(durable.store.usage()).toMatchObject({ traces: 3, spans: 9 });
    await append(aSpan({ trace_id: "t9" }));
    expect(rows("SELECT count(row_checksum) - count(*) AS n FROM chunk")).toEqual([{ n: 0 }]);
    await durable.reopen();
    expect(durable.store.usage()).toMatchObject({ traces: 4, spans: 10 });
    expect(await problems()).toEqual([]);
  });

  it("reads a file of version 2, which has none of these checksums, and indexes it again with them", async () => {
    await fill(0, 3);
    await append(anEvaluation("tone", 0.5, { trace_id: "t0", span_id: "e" }));
    const before = await durable.store.list({ limit: 10 });
    await whileClosed(toVersion2);
    await durable.rebuilt();
    expect((await durable.store.list({ limit: 10 })).traces).toEqual(before.traces);
    expect(await Promise.all([0, 1, 2].map((n) => spanCount(`t${n}`)))).toEqual([4, 3, 3]);
    expect(await durable.store.evaluations(0, 10)).toMatchObject([{ span: { span_id: "e" } }]);
    expect(await problems()).toEqual([]);
    await append(aSpan({ trace_id: "t1", span_id: "late" }));
    expect(rows("SELECT count(checksum) AS n FROM trace")).toEqual([{ n: 3 }]);
    expect(rows("SELECT count(checksum) - count(*) AS n FROM pending")).toEqual([{ n: 0 }]);
    expect(durable.store.usage()).toMatchObject({ traces: 3, spans: 11 });
  });

  it("loses the records of the open chunk of version 2 only from the damaged row on", async () => {
    await fill(0, 3);
    await whileClosed((db) => {
      toVersion2(db);
      db.exec("UPDATE pending SET bytes = zeroblob(length(bytes)) WHERE id = 2");
    });
    await durable.rebuilt();
    expect(await ids()).toEqual(["t0"]);
    expect(await spanCount("t0")).toBe(3);
  });
});

describe("a durable store whose rows of traces were deleted by hand", () => {
  const CHUNKS = "chunk 1 and \\d+ more: traces without rows.";
  const deleted: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ["one row of a trace", ["DELETE FROM trace WHERE seq = 3"], ["trace_detail 3: no row in trace."]],
    ["the table trace", ["DELETE FROM trace"], ["trace_detail 1 and 11 more: no row in trace."]],
    [
      "the other row of a trace",
      ["DELETE FROM trace_detail WHERE seq = 1"],
      ["trace 1: no row in trace_detail.", CHUNKS],
    ],
    [
      "both rows of traces",
      ["DELETE FROM trace WHERE seq < 9", "DELETE FROM trace_detail WHERE seq < 9"],
      [CHUNKS],
    ],
  ];

  it.each(deleted)("obspan store verify finds what is left: %s", async (_what, statements, found) => {
    const { durable, faults } = await openFaultyStore();
    const problems = async (): Promise<readonly string[]> =>
      (await durable.engine.commands.verify(new AbortController().signal)).problems;
    for (let n = 0; n < 12; n++) {
      const attributes = { prompt_text: noiseOf(n, 20_000) };
      // Two traces have spans in several chunks.
      const spans = [`t${n}`, `t${n % 2}`].map((trace_id) =>
        aSpan({ trace_id, span_id: `s${n}`, attributes }),
      );
      await durable.store.append(pipelineSpans(spans));
      await durable.store.flush();
    }
    await durable.store.remove({ tenant: "", traceId: "t5" });
    await durable.store.append(pipelineSpans([aSpan({ trace_id: "t5", span_id: "new" })]));
    await durable.store.flush();
    expect(await problems()).toEqual([]);
    for (const statement of statements) faults.db?.exec(statement);
    expect((await problems()).join("\n")).toMatch(new RegExp(`^${found.join("\n")}$`));
    await durable.close();
  });
});

/** SQL that changes the lowest bit of the byte in the middle of a column. */
function flipBitOf(table: string, column: string, where: string): string {
  const hex = `hex(substr(CAST(${column} AS BLOB), length(${column}) / 2 + 1, 1))`;
  const digit = `substr(${hex}, 2)`;
  const flipped = `unhex(substr(${hex}, 1, 1) || substr('1032547698BADCFE', instr('0123456789ABCDEF', ${digit}), 1))`;
  const type = column === "json" ? "TEXT" : "BLOB";
  return (
    `UPDATE ${table} SET ${column} = CAST(substr(CAST(${column} AS BLOB), 1, length(${column}) / 2) || ` +
    `${flipped} || substr(CAST(${column} AS BLOB), length(${column}) / 2 + 2) AS ${type}) WHERE ${where}`
  );
}

/** Where the bytes of a file have a number, as SQLite stores it. */
function placesOf(bytes: Buffer, value: number): number[] {
  const pattern = Buffer.alloc(8);
  pattern.writeDoubleBE(value);
  const places: number[] = [];
  for (let at = bytes.indexOf(pattern); at >= 0; at = bytes.indexOf(pattern, at + 1)) places.push(at);
  return places;
}
