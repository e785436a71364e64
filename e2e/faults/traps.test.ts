import { expect, it } from "vitest";
import { collectorForTest } from "../harness/built-collector.js";
import { clientForTest, smallSpans, telemetry } from "../harness/http-client.js";
import { expectToAddUp, ledgerAtRest } from "../harness/ledger.js";
import { sendRaw } from "../harness/raw-socket.js";
import { scrape } from "../harness/scrape.js";
import { until } from "../harness/until.js";

it("reliability.md, traps: ignores numbers beyond a double and negative durations in metrics", async () => {
  const collector = await collectorForTest();
  const client = clientForTest(collector.url, 1);
  const span = (fields: string): string =>
    `{"name":"chat","span_type":"llm","trace_id":"numbers","status":"OK",${fields}}`;
  const odd = ["1e400", "-1e400", "-5", "1e308", "-0", '"NaN"', "null"];
  const spans = odd.map((number) =>
    span(
      `"duration_ms":${number},"attributes":{"tokens_input":${number},"cost_usd":${number},"ttft_ms":${number}}`,
    ),
  );
  const body = `{"spans":[${[...spans, span('"duration_ms":250,"attributes":{"tokens_input":7,"cost_usd":0.5}')].join(",")}]}`;
  expect((await client.send(telemetry(body)).answer).status).toBe(202);
  const ledger = await ledgerAtRest(collector.url);
  expectToAddUp(ledger);
  expect(ledger).toMatchObject({ accepted: odd.length + 1, processed: odd.length + 1 });

  const { samples, value } = await scrape(collector.url);
  const spoilt = samples.filter(({ name, value: each }) => name.startsWith("obs_") && !Number.isFinite(each));
  expect(spoilt).toEqual([]);
  expect(value("obs_spans_total")).toBe(odd.length + 1);
  expect(value("obs_invalid_values_total", { field: "duration_ms" })).toBeGreaterThanOrEqual(3);
  // One cost of 1e308 would hide every other cost until the next start.
  expect(value("obs_cost_total")).toBe(0.5);
  expect(value("obs_invalid_values_total", { field: "cost_usd" })).toBe(5);
  expect(value("obs_invalid_values_total", { field: "ttft_ms" })).toBe(5);
  expect((await client.send({ path: "/v1/traces/numbers?full=1" }).answer).status).toBe(200);
  expect(await collector.stop()).toEqual({ code: 0, signal: null });
});

it("reliability.md, traps: waits for the longest times that can be set, although a timer over 2^31 ms fires at once", async () => {
  const collector = await collectorForTest({
    SHUTDOWN_GRACE_PERIOD_SECONDS: "2147483",
    TRACE_STORE_TTL_SECONDS: "2147483",
    EXPORTER_FLUSH_INTERVAL: "2147483",
    // Nothing listens on this port.
    EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
  });
  const client = clientForTest(collector.url, 4);
  const responses = await Promise.all(
    Array.from({ length: 10 }, (_, index) => client.send(telemetry(smallSpans(10, `t${index}`))).answer),
  );
  expect(responses.map(({ status }) => status)).toEqual(new Array(10).fill(202));
  await ledgerAtRest(collector.url);
  const { value } = await scrape(collector.url);
  expect(value("obs_trace_store_traces")).toBe(10);
  // The batch is neither full nor due.
  expect(value("obs_export_queue_size")).toBe(100);

  // Every span was processed: the grace period did not end at once.
  expect(await collector.stop()).toEqual({ code: 0, signal: null });
  expectToAddUp(collector.lastLedger());
  expect(collector.lastLedger()).toMatchObject({ accepted: 100, processed: 100 });
});

it("reliability.md, security: holds a thousand connections, drops the next one, and accepts again when one closes", async () => {
  const collector = await collectorForTest();
  const idle = Array.from({ length: 1000 }, () =>
    sendRaw(collector.port, { bytes: "GET /health HTTP/1.1\r\nHost: localhost\r\n", withinMs: 30_000 }),
  );
  // The collector logs a dropped connection.
  await until(
    "a connection is dropped",
    async () => {
      await sendRaw(collector.port, { bytes: "", withinMs: 50 });
      return (
        collector.stderr.some((line) => line.includes("The limit of 1000 connections is reached")) ||
        undefined
      );
    },
    20_000,
  );
  await until(
    "it answers again",
    async () => (await fetch(`${collector.url}/health`)).ok || undefined,
    30_000,
  );
  await Promise.all(idle);
  expect(await collector.stop()).toEqual({ code: 0, signal: null });
});
