import { expect, test } from "vitest";
import { errorOf, span, startCollector } from "../running-collector.js";

/** A request of the OpenTelemetry protocol with one span. */
const OTLP = {
  resourceSpans: [
    {
      scopeSpans: [
        {
          spans: [{ traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", name: "chat" }],
        },
      ],
    },
  ],
};

test("a paused collector refuses batches with 503 and Retry-After, answers queries and imports, and goes on after", async () => {
  const { collector, url, post, get, settled } = await startCollector();
  expect((await post({ spans: [span()] })).status).toBe(202);
  collector.pause();
  expect(collector.isPaused).toBe(true);

  const refused = await post({ spans: [span()] });
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("5");
  expect(await errorOf(refused)).toMatchObject({ code: "paused" });
  const otlp = await fetch(`${url}/v1/traces`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(OTLP),
  });
  expect(otlp.status).toBe(503);
  expect(otlp.headers.get("retry-after")).toBe("5");

  const ready = await fetch(`${url}/ready`);
  expect(ready.status).toBe(503);
  expect(await ready.json()).toMatchObject({ status: "not_ready", reasons: ["paused"] });
  expect(collector.status()).toMatchObject({ ready: false, reasons: ["paused"] });
  const imported = await fetch(`${url}/v1/import`, {
    method: "POST",
    headers: { "Content-Type": "application/x-ndjson" },
    body: JSON.stringify(OTLP),
  });
  expect(imported.status).toBe(200);
  await settled();
  expect(await get("/v1/traces")).toMatchObject({ traces: [{}, {}] });

  collector.resume();
  expect((await post({ spans: [span()] })).status).toBe(202);
  await settled();
  expect((await fetch(`${url}/ready`)).status).toBe(200);
  expect(collector.ledger()).toMatchObject({ received: 2, accepted: 2, rejected: {} });
});

test("the traces of a collector can be listed without a request", async () => {
  const { collector, post, settled } = await startCollector();
  await post({ spans: [span({ trace_id: "good" }), span({ trace_id: "bad", status: "ERROR" })] });
  await settled();
  const page = await collector.listTraces?.({ query: "has:error", limit: 5 });
  expect(page?.traces.map(({ trace_id: id }) => id)).toEqual(["bad"]);
});
