import { connect } from "node:net";
import { expect, it } from "vitest";
import { collectorForTest, type BuiltCollector, type Settings } from "../harness/built-collector.js";
import { experimentSize, reportFinding, seconds } from "../harness/experiment.js";
import { burst } from "../harness/held-collector.js";
import {
  batchOf,
  clientForTest,
  smallSpans,
  telemetry,
  type Answer,
  type HttpClient,
} from "../harness/http-client.js";
import { expectToAddUp, sum } from "../harness/ledger.js";
import { startLoad } from "../harness/steady-load.js";
import { pause, until, within } from "../harness/until.js";

/** Contract 5: a repeated signal within this time is ignored. */
const SAME_SIGNAL_MS = 1000;
/** The default, which it would wait for. */
const GRACE_PERIOD_MS = 30_000;
const BATCHES = 25;
const SPANS_PER_BATCH = 2000;

function startStructured(settings: Settings = {}): Promise<BuiltCollector> {
  return collectorForTest({ LOGGING_STRUCTURED: "true", ...settings });
}

/** Fills the queue and stops the collector before its worker has processed anything. */
async function stopWithFullQueue(
  collector: BuiltCollector,
  signals: readonly NodeJS.Signals[] = ["SIGTERM"],
): Promise<readonly Answer[]> {
  const client = clientForTest(collector.url, BATCHES);
  const batches = Array.from({ length: BATCHES }, (_, index) =>
    telemetry(smallSpans(SPANS_PER_BATCH, `t${index}`)),
  );
  const { responses } = await burst(collector, client, batches, () => {
    for (const signal of signals) collector.signal(signal);
  });
  return responses;
}

function countAccepted(responses: readonly Answer[]): number {
  return responses.filter(({ status }) => status === 202).length * SPANS_PER_BATCH;
}

it.each([
  ["SIGTERM", experimentSize(1, 20)],
  ["SIGINT", experimentSize(1, 2)],
] as const)(
  "spec 4.9 rule 6: %s under load, %i times: exits with 0 in time, and the last line counts every accepted span",
  async (signal, rounds) => {
    const gracePeriodSeconds = 10;
    let slowestMs = 0;
    for (let round = 0; round < rounds; round++) {
      const collector = await startStructured({ SHUTDOWN_GRACE_PERIOD_SECONDS: String(gracePeriodSeconds) });
      const load = startLoad(collector.url, { connections: 24, spansPerBatch: 10 });
      await until("the load is accepted", () => load.counts().acceptedSpans > 3000 || undefined);

      const stoppedAt = performance.now();
      const exit = await collector.stop(signal);
      slowestMs = Math.max(slowestMs, performance.now() - stoppedAt);
      expect(exit).toEqual({ code: 0, signal: null });

      const { responses, refusals, acceptedSpans } = await load.stop();
      expect(Object.keys(responses).filter((status) => status !== "202" && status !== "503")).toEqual([]);
      expect(Object.keys(refusals).filter((refusal) => refusal !== "503 shutting_down")).toEqual([]);

      const ledger = collector.lastLedger();
      expectToAddUp(ledger);
      expect(ledger.accepted).toBeGreaterThanOrEqual(acceptedSpans);
      // At most the responses in transit when the connections were closed.
      expect(ledger.accepted).toBeLessThanOrEqual(acceptedSpans + 24 * 10);
      expect(ledger).toMatchObject({ processed: ledger.accepted, queued: 0, inFlight: 0 });
    }
    reportFinding(
      5,
      `${signal}, ${rounds} times: every ledger exact, ended after ${seconds(slowestMs)} at most`,
    );
    expect(slowestMs).toBeLessThan((gracePeriodSeconds + 1) * 1000);
  },
);

it("spec 4.9 rule 6: processes a full queue with drain_queue", async () => {
  const collector = await startStructured();
  const accepted = countAccepted(await stopWithFullQueue(collector));
  expect(accepted).toBe(BATCHES * SPANS_PER_BATCH);

  expect(await collector.exit).toEqual({ code: 0, signal: null });
  const ledger = collector.lastLedger();
  expectToAddUp(ledger);
  expect(ledger).toMatchObject({ accepted, processed: accepted, queued: 0, inFlight: 0 });
  expect(sum(ledger.dropped)).toBe(0);
});

it("spec 4.9 rule 6: refuses new spans with 503 shutting_down while it drains, and is not ready", async () => {
  const { collector, client, responses } = await heldWhileDraining();
  const late = client.send(telemetry(batchOf(1, "late")));
  const lateOtlp = client.send({ ...telemetry("{}"), path: "/v1/traces" });
  const probe = client.send({ path: "/ready" });
  await Promise.all([late.written, lateOtlp.written, probe.written]);
  collector.signal("SIGCONT");

  const refused = await late.answer;
  expect(refused.status).toBe(503);
  expect(Number(refused.headers["retry-after"])).toBeGreaterThanOrEqual(1);
  expect(JSON.parse(refused.body)).toMatchObject({ error: { code: "shutting_down" } });
  const refusedOtlp = await lateOtlp.answer;
  expect(refusedOtlp.status).toBe(503);
  expect(Number(refusedOtlp.headers["retry-after"])).toBeGreaterThanOrEqual(1);
  expect(JSON.parse(refusedOtlp.body)).toMatchObject({
    code: 14,
    message: expect.stringMatching(/^shutting_down: /),
  });
  const ready = await probe.answer;
  expect(ready.status).toBe(503);
  expect(JSON.parse(ready.body)).toMatchObject({
    status: "not_ready",
    reasons: expect.arrayContaining(["shutting_down"]),
  });

  const accepted = countAccepted(await responses);
  expect(await collector.exit).toEqual({ code: 0, signal: null });
  expectToAddUp(collector.lastLedger());
  expect(collector.lastLedger()).toMatchObject({ accepted, processed: accepted });
});

it("refuses and counts a batch whose body ends after the signal (contract 4)", async () => {
  const collector = await startStructured();
  const body = JSON.stringify(batchOf(3, "late"));
  const head = `POST /v1/telemetry HTTP/1.1\r\nHost: ${new URL(collector.url).host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const socket = connect({ host: "127.0.0.1", port: collector.port });
  let answer = "";
  socket.setEncoding("utf8").on("data", (text: string) => void (answer += text));
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.on("error", () => undefined);
  socket.write(head + body.slice(0, 10));
  // After a response on another connection, the collector has seen the head of the first request.
  await until(
    "the collector has received the head",
    async () => (await fetch(`${collector.url}/health`)).ok || undefined,
  );
  await fetch(`${collector.url}/health`);

  collector.signal("SIGTERM");
  await collector.logged(/Stopping: SIGTERM/);
  socket.write(body.slice(10));
  await within("the connection is closed", closed, 10_000);
  expect(await collector.exit).toEqual({ code: 0, signal: null });

  const ledger = collector.lastLedger();
  expectToAddUp(ledger);
  expect(ledger.accepted).toBe(0);
  if (answer !== "") {
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toContain('"code":"shutting_down"');
    expect(ledger).toMatchObject({ received: 3, rejected: { shutting_down: 3 } });
  }
});

it("drops and counts waiting spans with shutdown.drain_queue=false", async () => {
  const collector = await startStructured({ SHUTDOWN_DRAIN_QUEUE: "false" });
  const accepted = countAccepted(await stopWithFullQueue(collector));
  expect(accepted).toBeGreaterThan(0);

  expect(await collector.exit).toEqual({ code: 0, signal: null });
  const ledger = collector.lastLedger();
  expectToAddUp(ledger);
  expect(ledger).toMatchObject({ accepted, queued: 0, inFlight: 0 });
  expect(ledger.dropped["shutdown"]).toBeGreaterThan(0);
});

it("exits at once with a grace period of 0 and counts unprocessed spans", async () => {
  const collector = await startStructured({ SHUTDOWN_GRACE_PERIOD_SECONDS: "0" });
  const accepted = countAccepted(await stopWithFullQueue(collector));

  expect(await collector.exit).toEqual({ code: 0, signal: null });
  const ledger = collector.lastLedger();
  expectToAddUp(ledger);
  expect(ledger.accepted).toBe(accepted);
  expect(ledger.dropped["shutdown"]).toBeGreaterThan(0);
});

it("does not wait for connections that are idle or in the middle of a request", async () => {
  const collector = await startStructured();
  const sockets = Array.from({ length: 20 }, () => connect({ host: "127.0.0.1", port: collector.port }));
  for (const [index, socket] of sockets.entries()) {
    socket.on("error", () => undefined);
    if (index % 2 === 0) socket.write("POST /v1/telemetry HTTP/1.1\r\nHost: localhost\r\nContent-Le");
  }
  const closed = sockets.map(
    (socket) => new Promise<void>((resolve) => socket.once("close", () => resolve())),
  );
  await fetch(`${collector.url}/health`);

  const stoppedAt = performance.now();
  expect(await collector.stop()).toEqual({ code: 0, signal: null });
  expect(performance.now() - stoppedAt).toBeLessThan(GRACE_PERIOD_MS);
  await within("all connections are closed", Promise.all(closed), 20_000);
  expectToAddUp(collector.lastLedger());
});

it("ignores a signal repeated within a second and continues to drain", async () => {
  const collector = await startStructured();
  // It sees both when it continues. After its responses, a second may have passed.
  const responses = await stopWithFullQueue(collector, ["SIGTERM", "SIGINT"]);

  expect(await collector.exit).toEqual({ code: 0, signal: null });
  const accepted = countAccepted(responses);
  expect(collector.lastLedger()).toMatchObject({ accepted, processed: accepted });
});

it.each([
  ["SIGTERM", 143],
  ["SIGINT", 130],
] as const)("on %s more than a second after the first signal exits with %i", async (signal, code) => {
  // The collector is stopped in the middle of its drain.
  const { collector, responses } = await heldWhileDraining();
  responses.catch(() => undefined);
  await pause(SAME_SIGNAL_MS + 200);
  collector.signal(signal);
  collector.signal("SIGCONT");

  expect(await collector.exit).toEqual({ code, signal: null });
  expect(collector.stderr.filter((line) => line.includes("Ledger"))).toEqual([]);
});

it("stops in order on a signal right after the start", async () => {
  for (let round = 0; round < 3; round++) {
    const collector = await collectorForTest();
    expect(await collector.stop()).toEqual({ code: 0, signal: null });
    expect(collector.lastLedger()).toMatchObject({ accepted: 0, queued: 0 });
  }
});

it("spec 2.6: logs the ledger as the last structured line with the specified fields", async () => {
  const collector = await startStructured();
  const client = clientForTest(collector.url, 1);
  await client.send(telemetry(batchOf(5, "t1"))).answer;
  await client.send(telemetry({ spans: [{ name: "x" }] })).answer;
  await collector.stop();

  const { record } = collector.lastLedger();
  const { timestamp, ...rest } = record;
  expect(new Date(String(timestamp)).toISOString()).toBe(timestamp);
  expect(rest).toEqual({
    level: "INFO",
    logger: "obspan",
    message: "Ledger",
    received: 6,
    accepted: 5,
    processed: 5,
    queued: 0,
    in_flight: 0,
    rejected: { invalid_span: 1 },
    dropped: { evicted_oldest: 0, shutdown: 0, internal_error: 0 },
  });
  for (const line of collector.stderr) {
    expect(JSON.parse(line)).toMatchObject({
      timestamp: expect.any(String),
      level: expect.stringMatching(/^(DEBUG|INFO|WARNING|ERROR|CRITICAL)$/),
      logger: expect.any(String),
      message: expect.any(String),
    });
  }
});

it("logs the same ledger as a plain line", async () => {
  const collector = await collectorForTest();
  const client = clientForTest(collector.url, 1);
  await client.send(telemetry(batchOf(5, "t1"))).answer;
  await collector.stop();
  expectToAddUp(collector.lastLedger());
  expect(collector.lastLedger()).toMatchObject({ received: 5, accepted: 5, processed: 5, rejected: {} });
});

/** A collector that is draining after a signal, and is stopped (SIGSTOP) in between. */
interface HeldCollector {
  readonly collector: BuiltCollector;
  /** With {@link CONNECTIONS} open connections. */
  readonly client: HttpClient;
  /** The responses to the batches that it drains. */
  readonly responses: Promise<readonly Answer[]>;
}

const CONNECTIONS = 3;

async function heldWhileDraining(): Promise<HeldCollector> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const collector = await startStructured();
    const client = clientForTest(collector.url, CONNECTIONS);
    await client.openConnections();
    const responses = stopWithFullQueue(collector);
    await collector.logged(/Stopping: SIGTERM/);
    collector.signal("SIGSTOP");
    // By then everything it wrote before it was stopped has arrived. It closes connections when the queue is empty.
    await pause(50);
    if (client.idleConnections() === CONNECTIONS) return { collector, client, responses };
    collector.signal("SIGCONT");
    await Promise.all([responses, collector.exit]);
  }
  throw new Error("The drain was always over before the collector could be held.");
}
