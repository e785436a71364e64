import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { collectorForTest, type BuiltCollector, type Settings } from "../harness/built-collector.js";
import { reportFinding, seconds } from "../harness/experiment.js";
import { batchOf, clientForTest, telemetry } from "../harness/http-client.js";
import { until } from "../harness/until.js";

const JUMPING_CLOCK = new URL("../harness/jumping-clock.mjs", import.meta.url).href;

function startWithJumpingClock(settings: Settings): Promise<BuiltCollector> {
  return collectorForTest(settings, ["--import", JUMPING_CLOCK]);
}

/** Moves the wall clock of the collector: first an hour ahead of the real time, then an hour behind. */
async function jump(collector: BuiltCollector, to: "ahead" | "behind"): Promise<void> {
  const before = collector.stderr.length;
  collector.signal("SIGUSR2");
  const line = to === "ahead" ? "The clock is 3600000 ms ahead." : "The clock is -3600000 ms ahead.";
  await until("the clock has jumped", () => collector.stderr.slice(before).includes(line) || undefined);
}

it("reliability.md 12: expires traces in time when the clock jumps an hour", async () => {
  const ttlMs = 4000;
  const collector = await startWithJumpingClock({ TRACE_STORE_TTL_SECONDS: String(ttlMs / 1000) });
  const client = clientForTest(collector.url, 1);
  const statusOf = async () => (await client.send({ path: "/v1/traces/kept" }).answer).status;
  const sentAt = performance.now();
  expect((await client.send(telemetry(batchOf(2, "kept"))).answer).status).toBe(202);
  await until("the trace is stored", async () => (await statusOf()) === 200 || undefined);

  await jump(collector, "ahead");
  const statusAhead = await statusOf();
  const lookedAfterMs = performance.now() - sentAt;
  // On a very slow machine the trace has expired by now, and this proves nothing.
  if (lookedAfterMs < ttlMs) expect(statusAhead).toBe(200);
  await jump(collector, "behind");
  await until("the trace has expired", async () => (await statusOf()) === 404 || undefined, 30_000);
  const livedMs = performance.now() - sentAt;
  expect(livedMs).toBeGreaterThanOrEqual(ttlMs);
  reportFinding(12, `a trace with a TTL of ${seconds(ttlMs)} lived ${seconds(livedMs)} through both jumps`);
});

it("reliability.md 12: neither opens nor blocks a rate limit when the clock jumps an hour", async () => {
  const perMinute = 20;
  const collector = await startWithJumpingClock({
    RATE_LIMIT_ENABLED: "true",
    RATE_LIMIT_PER_IP_RPM: String(perMinute),
  });
  const client = clientForTest(collector.url, 1);
  const send = async () => (await client.send(telemetry(batchOf(1, "limited"))).answer).status;
  const sentAt = performance.now();
  await until("the limit is reached", async () => (await send()) === 429 || undefined);

  await jump(collector, "ahead");
  // An hour would allow 1,200 requests.
  const statuses: number[] = [];
  while (statuses.length < 2 * perMinute) statuses.push(await send());
  const allowedByNow = ((performance.now() - sentAt) / 60_000) * perMinute;
  expect(statuses.filter((status) => status === 202).length).toBeLessThanOrEqual(Math.ceil(allowedByNow));
  await jump(collector, "behind");
  const jumpedAt = performance.now();
  await until("a request is accepted again", async () => (await send()) === 202 || undefined, 20_000);
  reportFinding(
    12,
    `after the jumps the next request passed in ${seconds(performance.now() - jumpedAt)} (20 a minute)`,
  );
});

it("reliability.md 12: neither delays nor hurries an export when the clock jumps an hour", async () => {
  const attemptsAt: number[] = [];
  const receiver = createServer((request, response) => {
    request.resume().once("end", () => {
      attemptsAt.push(performance.now());
      response
        .writeHead(attemptsAt.length <= 2 ? 503 : 200, { "Content-Type": "application/x-protobuf" })
        .end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    receiver.close();
    receiver.closeAllConnections();
  });
  const { port } = receiver.address() as AddressInfo;
  const collector = await startWithJumpingClock({
    EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    EXPORTER_FLUSH_INTERVAL: "1",
  });
  const client = clientForTest(collector.url, 1);
  expect((await client.send(telemetry(batchOf(1, "exported"))).answer).status).toBe(202);

  await until("the first attempt", () => attemptsAt.length >= 1 || undefined, 20_000);
  await jump(collector, "ahead");
  await until("the second attempt", () => attemptsAt.length >= 2 || undefined, 20_000);
  await jump(collector, "behind");
  await until("the third attempt", () => attemptsAt.length >= 3 || undefined, 20_000);
  const waitsMs = attemptsAt.slice(1).map((at, index) => at - (attemptsAt[index] ?? 0));
  // The first delay is 1 s with jitter, the second twice that.
  for (const waitMs of waitsMs) expect(waitMs).toBeGreaterThan(200);
  reportFinding(12, `an export was retried after ${waitsMs.map(seconds).join(" and ")}`);
});
