import { expect, it } from "vitest";
import { collectorHere } from "../harness/collector-here.js";
import { batchOf, clientForTest, telemetry } from "../harness/http-client.js";
import { expectToAddUp, ledgerAtRest } from "../harness/ledger.js";
import { scrape } from "../harness/scrape.js";

/** Twenty of them exceed the smallest trace store. */
const PROMPT = "x".repeat(100_000);

/** The smallest valid value of each limit. Nothing may hang or crash; only what does not fit is refused. */
const SMALLEST = [
  ["LIMITS_MAX_TRACES", "1"],
  ["LIMITS_MAX_QUEUE_SIZE", "1"],
  ["LIMITS_MAX_SPAN_ATTRIBUTES", "1"],
  ["LIMITS_MAX_LABEL_VALUE_LENGTH", "1"],
  ["LIMITS_MAX_SERIES", "12"],
  ["TRACE_STORE_MAX_SPANS_PER_TRACE", "1"],
  ["TRACE_STORE_MAX_BYTES", "1048576"],
  ["SAMPLING_RATE", "0"],
] as const;

it.each(SMALLEST)("%s=%s: accepts spans, answers every request and stops in order", async (key, value) => {
  const collector = await collectorHere({ [key]: value });
  const client = clientForTest(collector.url, 1);
  for (let index = 0; index < 20; index++) {
    const batch = batchOf(1, `trace-${index}`, { attributes: { model: `m-${index}`, prompt_text: PROMPT } });
    expect((await client.send(telemetry(batch)).answer).status).toBe(202);
    await ledgerAtRest(collector.url);
  }

  const ledger = await ledgerAtRest(collector.url);
  expectToAddUp(ledger);
  expect(ledger).toMatchObject({ received: 20, accepted: 20, processed: 20 });
  expect((await scrape(collector.url)).value("obs_spans_total")).toBe(20);
  expect((await client.send({ path: "/v1/traces" }).answer).status).toBe(200);

  expectToAddUp(await collector.stop());
  expect(collector.log).toEqual([]);
});
