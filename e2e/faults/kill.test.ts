import { expect, it } from "vitest";
import { freePort } from "../../collector-core/test/free-port.js";
import { collectorForTest } from "../harness/built-collector.js";
import { experimentSize, reportFinding, seconds } from "../harness/experiment.js";
import { clientForTest, batchOf, telemetry } from "../harness/http-client.js";
import { expectToAddUp, ledgerAtRest } from "../harness/ledger.js";
import { startLoad } from "../harness/steady-load.js";
import { until } from "../harness/until.js";

const ROUNDS = experimentSize(3, 20);
/** Generous, because the test shares slow cores with others. */
const READY_WITHIN_MS = experimentSize(20_000, 2000);

it("kill -9 under load: is ready again soon on the same port and accepts spans", async () => {
  const settings = { PORT: String(await freePort()), LOGGING_STRUCTURED: "true" };
  let collector = await collectorForTest(settings);
  const load = startLoad(collector.url, { connections: 16, spansPerBatch: 10 });

  let slowestMs = 0;
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const before = load.counts().acceptedSpans;
      await until("the load is accepted", () => load.counts().acceptedSpans > before + 5000 || undefined);
      collector.signal("SIGKILL");
      expect(await collector.exit).toEqual({ code: null, signal: "SIGKILL" });

      const diedAt = performance.now();
      collector = await collectorForTest(settings);
      const { status } = await fetch(`${collector.url}/ready`);
      expect(status).toBe(200);
      slowestMs = Math.max(slowestMs, performance.now() - diedAt);
    }
  } finally {
    await load.stop();
  }
  reportFinding(7, `${ROUNDS} times: ready again after ${seconds(slowestMs)} at most`);
  expect(slowestMs).toBeLessThan(READY_WITHIN_MS);

  // The last collector has all spans of its own load and none of earlier ones.
  const client = clientForTest(collector.url, 1);
  expect((await client.send(telemetry(batchOf(3, "after-the-kill"))).answer).status).toBe(202);
  const ledger = await ledgerAtRest(collector.url);
  expectToAddUp(ledger);
  expect(ledger.processed).toBe(ledger.accepted);
  const trace = await fetch(`${collector.url}/v1/traces/after-the-kill`);
  expect(await trace.json()).toMatchObject({ trace: { span_count: 3 } });

  expect(await collector.stop()).toEqual({ code: 0, signal: null });
  expectToAddUp(collector.lastLedger());
});
