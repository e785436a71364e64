import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { collectorForTest } from "../harness/built-collector.js";
import { experimentSize, reportFinding, seconds } from "../harness/experiment.js";
import { batchOf, clientForTest, telemetry } from "../harness/http-client.js";
import { expectToAddUp, ledgerAtRest } from "../harness/ledger.js";
import { scrape } from "../harness/scrape.js";
import { expectCollectorUnharmed } from "../harness/unharmed-collector.js";
import { until } from "../harness/until.js";

const SLOW_DISK = new URL("../harness/slow-disk.mjs", import.meta.url).href;
const SPANS_PER_BATCH = 10;
/** What may be on its way to a storage thread that is as slow as this. */
const ON_THE_WAY_BYTES = 8 * 2 ** 20;
/** What may be, however fast it is. */
const MOST_BYTES = 64 * 2 ** 20;
const MAX_BATCHES = 2000;

it("a disk slower than the load fills the queue, which answers 429, and every accepted span is saved", async () => {
  const directory = mkdtempSync(join(tmpdir(), "obspan-slow-disk-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const slow = join(directory, "slow");
  const collector = await collectorForTest(
    {
      TRACE_STORE_PATH: directory,
      TRACE_STORE_DISK_MIN_FREE_BYTES: "0",
      LIMITS_MAX_QUEUE_SIZE: "200",
      LOG_STRUCTURED: "true",
    },
    ["--import", `${SLOW_DISK}?file=${encodeURIComponent(slow)}`],
  );
  const client = clientForTest(collector.url, 1);
  const text = "slow ".repeat(20_000);
  const send = async (
    n: number,
  ): Promise<{ status: number; body: string; retryAfter: string | undefined }> => {
    const batch = batchOf(SPANS_PER_BATCH, `slow-${n}`, { attributes: { prompt_text: text } });
    const { status, body, headers } = await client.send(telemetry(batch)).answer;
    return { status, body, retryAfter: headers["retry-after"] };
  };

  writeFileSync(slow, "1000");
  let accepted = 0;
  const refusals = experimentSize(3, 100);
  for (let n = 0, refused = 0; refused < refusals; n++) {
    if (n === MAX_BATCHES) throw new Error(`${MAX_BATCHES} batches were accepted.`);
    const { status, body, retryAfter } = await send(n);
    if (status === 202) {
      accepted += SPANS_PER_BATCH;
      continue;
    }
    expect({ status, code: (JSON.parse(body) as { error: { code: string } }).error.code }).toEqual({
      status: 429,
      code: "queue_full",
    });
    expect(Number(retryAfter)).toBeGreaterThan(0);
    refused++;
  }
  const held = await scrape(collector.url);
  const pendingBytes = held.value("obs_trace_store_pending_bytes");
  expect(pendingBytes).toBeGreaterThan(ON_THE_WAY_BYTES);
  // The first spans are taken before the thread is known to be slow.
  expect(pendingBytes).toBeLessThan(MOST_BYTES);
  expect((await client.send({ path: "/health" }).answer).status).toBe(200);

  const quickAt = performance.now();
  rmSync(slow);
  const saved = await until(
    "all is saved",
    async () => {
      const samples = await scrape(collector.url);
      const waiting = samples.value("obs_queue_size") + samples.value("obs_trace_store_pending_bytes");
      return waiting === 0 ? samples : undefined;
    },
    60_000,
  );
  const ledger = await ledgerAtRest(collector.url);
  expectToAddUp(ledger);
  expect(ledger).toMatchObject({
    accepted,
    processed: accepted,
    rejected: { queue_full: refusals * SPANS_PER_BATCH },
  });
  expect(saved.value("obs_trace_store_spans")).toBe(accepted);
  expect(saved.value("obs_trace_store_unsaved_spans_total")).toBe(0);
  reportFinding(
    21,
    `429 with ${Math.round(pendingBytes / 2 ** 20)} MiB not yet saved; all ${accepted} accepted spans saved ` +
      `${seconds(performance.now() - quickAt)} after the disk was fast again`,
  );
  await expectCollectorUnharmed(collector, client);
});
