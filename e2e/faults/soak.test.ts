import { expect, it } from "vitest";
import { collectorForTest, type BuiltCollector } from "../harness/built-collector.js";
import { experimentSize, reportFinding } from "../harness/experiment.js";
import { createHttpClient } from "../harness/http-client.js";
import { expectToAddUp } from "../harness/ledger.js";
import { startLoad } from "../harness/steady-load.js";
import { pause, until } from "../harness/until.js";

const HEAP_PROBE = new URL("../harness/heap-probe.mjs", import.meta.url).href;
const MEBIBYTE = 1024 * 1024;
/** Both are full after a second and do not grow any more. */
const SETTINGS = { LIMITS_MAX_TRACES: "500", REDACTION_ENABLED: "true", LOGGING_STRUCTURED: "true" };
const SAMPLES = experimentSize(8, 60);
const PAUSE_MS = experimentSize(250, 3000);

interface Memory {
  readonly heapUsed: number;
  readonly rss: number;
}

async function memoryOf(collector: BuiltCollector): Promise<Memory> {
  const before = collector.stderr.length;
  collector.signal("SIGUSR2");
  return await until("the collector reports its memory", () => {
    const line = collector.stderr.slice(before).find((each) => each.startsWith("Memory: "));
    return line === undefined ? undefined : (JSON.parse(line.slice("Memory: ".length)) as Memory);
  });
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

it("reliability.md 17: keeps the heap flat under continuous load with readers", async () => {
  const collector = await collectorForTest(SETTINGS, ["--expose-gc", "--import", HEAP_PROBE]);
  const load = startLoad(collector.url, { connections: 8, spansPerBatch: 10 });
  const reader = createHttpClient(collector.url, 1);
  const heap: number[] = [];
  let rss = 0;
  try {
    // The first thousands fill caches and compile code.
    await until("it is warm", () => load.counts().acceptedSpans > 20_000 || undefined, 30_000);
    for (let sample = 0; sample < SAMPLES; sample++) {
      for (const path of ["/metrics", "/v1/traces?limit=100&q=xx", "/v1/stats", "/openapi.json"])
        await reader.send({ path }).answer;
      await pause(PAUSE_MS);
      const memory = await memoryOf(collector);
      heap.push(memory.heapUsed);
      rss = Math.max(rss, memory.rss);
    }
  } finally {
    await load.stop();
    reader.close();
  }

  const third = Math.ceil(SAMPLES / 3);
  const [early, late] = [median(heap.slice(0, third)), median(heap.slice(-third))];
  const toMebibytes = (bytes: number): string => (bytes / MEBIBYTE).toFixed(1);
  reportFinding(
    17,
    `${load.counts().acceptedSpans} spans in ${Math.round((SAMPLES * PAUSE_MS) / 1000)} s: ${toMebibytes(early)} MiB of ` +
      `heap at first, ${toMebibytes(late)} MiB at last, ${toMebibytes(rss)} MiB resident at most`,
  );
  // The heap after a collection varies with the work in progress.
  expect(late - early).toBeLessThan(4 * MEBIBYTE);
  expect(await collector.stop()).toEqual({ code: 0, signal: null });
  expectToAddUp(collector.lastLedger());
});
