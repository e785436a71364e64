import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { freePort } from "../../collector-core/test/free-port.js";
import { collectorForTest, type BuiltCollector } from "../harness/built-collector.js";
import { experimentSize, reportFinding } from "../harness/experiment.js";
import { batchOf, clientForTest, telemetry } from "../harness/http-client.js";
import { scrape } from "../harness/scrape.js";
import { until } from "../harness/until.js";

const TRACES = experimentSize(1500, 20_000);
const KILLS = experimentSize(2, 6);
const SPANS_PER_TRACE = 10;
/** Connections that fill the store; they divide the number of traces. */
const SENDERS = 10;
/** Traces that have spans from before and from after the restart. */
const CONTINUED = 20;

interface SqliteModule {
  readonly Database: new (path: string) => { exec(sql: string): void; close(): void };
}

/** Makes the next start rebuild the index, as after an update that changes the tables. */
function markForRebuild(directory: string): void {
  const require = createRequire(new URL("../../collector-core/package.json", import.meta.url));
  const { Database } = require("node-sqlite3-wasm") as SqliteModule;
  const db = new Database(join(directory, "traces.db"));
  try {
    db.exec("PRAGMA locking_mode = EXCLUSIVE; INSERT OR REPLACE INTO meta VALUES ('rebuild', 1)");
  } finally {
    db.close();
  }
}

interface StoreInfo {
  readonly traces: number;
  readonly spans: number;
  readonly rebuild_progress: number | null;
}

async function storeOf({ url }: BuiltCollector): Promise<StoreInfo> {
  return (await (await fetch(`${url}/v1/store`)).json()) as StoreInfo;
}

async function spanCountsOf({ url }: BuiltCollector): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (let cursor: string | null = ""; cursor !== null;) {
    const response = await fetch(`${url}/v1/traces?limit=500${cursor && `&cursor=${cursor}`}`);
    const page = (await response.json()) as {
      traces: { trace_id: string; span_count: number }[];
      next_cursor: string | null;
    };
    for (const { trace_id: id, span_count: count } of page.traces) {
      expect(counts.has(id)).toBe(false);
      counts.set(id, count);
    }
    cursor = page.next_cursor;
  }
  return counts;
}

it("a collector that rebuilds its index takes spans, and has every trace once however often it is killed", async () => {
  const directory = mkdtempSync(join(tmpdir(), "obspan-rebuild-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const settings = {
    PORT: String(await freePort()),
    TRACE_STORE_PATH: directory,
    TRACE_STORE_DISK_MIN_FREE_BYTES: "0",
  };
  let collector = await collectorForTest(settings);
  let client = clientForTest(collector.url, SENDERS);
  const expected = new Map<string, number>();
  const send = async (traceId: string, spans: number, fields: object = {}): Promise<void> => {
    await until("the spans are accepted", async () => {
      const { status } = await client.send(telemetry(batchOf(spans, traceId, { ...fields }))).answer;
      return status === 202 || undefined;
    });
    expected.set(traceId, (expected.get(traceId) ?? 0) + spans);
  };
  const allStored = async (): Promise<void> => {
    const spans = [...expected.values()].reduce((sum, count) => sum + count, 0);
    await until(
      "all spans are stored",
      async () => (await storeOf(collector)).spans === spans || undefined,
      60_000,
    );
  };
  for (let n = 0; n < TRACES; n += SENDERS)
    await Promise.all(Array.from({ length: SENDERS }, (_, at) => send(`old-${n + at}`, SPANS_PER_TRACE)));
  await allStored();
  await collector.stop();
  markForRebuild(directory);

  const seen: number[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    collector = await collectorForTest(settings);
    client = clientForTest(collector.url, 1);
    // The last old traces continue, and new ones begin.
    for (let n = 0; n < CONTINUED; n++) await send(`old-${TRACES - 1 - n}`, 1, { span_id: `late-${kill}` });
    await send(`new-${kill}`, SPANS_PER_TRACE);
    expect((await fetch(`${collector.url}/v1/traces/old-${kill}`, { method: "DELETE" })).status).toBe(204);
    expected.delete(`old-${kill}`);
    seen.push((await storeOf(collector)).rebuild_progress ?? 1);
    await until(
      "what was accepted is committed",
      async () => {
        const metrics = await scrape(collector.url);
        const waiting = metrics.value("obs_queue_size") + metrics.value("obs_trace_store_pending_bytes");
        return waiting === 0 || undefined;
      },
      60_000,
    );
    collector.signal("SIGKILL");
    await collector.exit;
  }
  collector = await collectorForTest(settings);
  await until(
    "the index is complete",
    async () => (await storeOf(collector)).rebuild_progress === null || undefined,
    120_000,
  );
  expect(await spanCountsOf(collector)).toEqual(expected);
  await allStored();
  reportFinding(22, `${TRACES} traces, killed at ${seen.join(", ")} of the rebuild: none lost, none twice`);
  expect(await collector.stop()).toEqual({ code: 0, signal: null });
});
