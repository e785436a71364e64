import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { openSqlite } from "../../../src/store/sqlite/driver/open-sqlite.js";
import { spansOf } from "../read-trace.js";
import { openFaultyStore } from "./faulty-database.js";
import { temporaryDirectory } from "./temporary-directory.js";

/**
 * Written by the last build with version 3: `trace-0` to `trace-12` of three spans, of which it kept eight at most. `trace-7` has an
 * evaluation, `trace-11` a running span, `trace-12` one span. `trace-6` was removed, and its text was in the chunks when it was closed.
 */
const FILE = new URL("./files/version-3.db.gz", import.meta.url);

it("brings a file that version 3 has written up to date in one transaction, and loses nothing", async () => {
  const directory = temporaryDirectory();
  mkdirSync(directory, { recursive: true });
  const path = join(directory, "traces.db");
  writeFileSync(path, gunzipSync(readFileSync(FILE)), { mode: 0o600 });
  const before = openSqlite(path);
  before.exec("PRAGMA locking_mode = EXCLUSIVE");
  const summaries = before.prepare("SELECT trace_id, summary FROM trace_detail ORDER BY seq").all();
  expect(before.prepare("SELECT count(*) AS n FROM erasing").get()).toEqual({ n: 1 });
  before.close();

  // A migration that fails in its middle changes nothing.
  await expect(
    openFaultyStore({
      directory,
      openDatabase: (name) => {
        const db = openSqlite(name);
        return {
          ...db,
          driver: db.driver,
          exec: (sql) => {
            if (sql.includes("span_count")) throw new Error("The process ends here.");
            db.exec(sql);
          },
          prepare: (sql) => db.prepare(sql),
          close: () => db.close(),
        };
      },
    }),
  ).rejects.toThrow();

  const { signal } = new AbortController();
  const { durable, faults, lines } = await openFaultyStore({ directory });
  onTestFinished(() => durable.close());
  expect(lines.map(({ message }) => message)).toContain(
    "The trace store has version 3 and is rebuilt for version 4.",
  );
  await durable.rebuilt();
  const { traces } = await durable.store.list({ limit: 100 });
  expect(traces.map(({ trace_id }) => trace_id)).toEqual(
    summaries.map((row) => String(row["trace_id"])).reverse(),
  );
  expect(traces[0]).toMatchObject({ trace_id: "trace-12", span_count: 1 });
  const counts = Object.fromEntries(traces.map(({ trace_id, span_count }) => [trace_id, span_count]));
  expect(counts).toMatchObject({ "trace-7": 3, "trace-11": 4, "trace-10": 3 });
  for (const { trace_id: traceId, span_count } of traces) {
    const trace = await durable.store.get({ tenant: "", traceId });
    expect(await spansOf(trace)).toHaveLength(traceId === "trace-7" ? span_count + 1 : span_count);
    trace?.release();
  }
  expect(await durable.store.evaluations(0, 10)).toMatchObject([{ span: { span_id: "eval-7" } }]);
  expect(await durable.engine.commands.statsSteps(10, 10_000)).toMatchObject([{ startSeconds: 1000 }]);
  const { problems } = await durable.engine.commands.verify(signal);
  expect(problems).toEqual([]);

  // What version 4 writes has checksums; the text of the removed trace goes.
  for (let step = 0; step < 5; step++) {
    durable.clock.advance(1000);
    durable.engine.tick();
    await durable.store.flush();
  }
  expect(faults.db?.prepare("SELECT count(*) AS n FROM erasing").get()).toEqual({ n: 0 });
  const usage = durable.store.usage();
  await durable.reopen();
  expect(durable.store.usage()).toMatchObject({ traces: usage.traces, spans: usage.spans });
  expect(await durable.store.list({ limit: 100 })).toMatchObject({ traces });
});
