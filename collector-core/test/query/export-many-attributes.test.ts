import { isDeepStrictEqual } from "node:util";
import { gzipSync } from "node:zlib";
import type { Span } from "@obspan/sdk/wire";
import { describe, expect, it } from "vitest";
import { readOtlpJson } from "../otlp/read-otlp-json.js";
import { span, startCollector, type RunningCollector } from "../running-collector.js";

/** More than an OTLP span may have. */
const MANY = 21_000;

async function post(
  collector: RunningCollector,
  path: string,
  type: string,
  body: Buffer,
): Promise<Response> {
  const headers = { "Content-Type": type, "Content-Encoding": "gzip" };
  return await fetch(`${collector.url}${path}`, {
    method: "POST",
    headers,
    body: gzipSync(body),
  });
}

/** The only span of a collector, all of it, as its export says. */
async function exportedSpan(collector: RunningCollector): Promise<Span | undefined> {
  const lines = await (await fetch(`${collector.url}/v1/export`)).text();
  return readOtlpJson(JSON.parse(lines)).applications[0]?.spans[0];
}

function largeSpan(): Span {
  const attributes = Object.fromEntries(
    Array.from({ length: MANY }, (_, index) => [
      `key ${index}`,
      index % 3 === 0 ? { index } : `value ${index}`,
    ]),
  );
  const events = Array.from({ length: MANY / 2 }, (_, index) => ({
    name: `event ${index}`,
    attributes: {},
  }));
  return { ...span({ trace_id: "large", span_id: "s" }), attributes, events } as unknown as Span;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error("Waited in vain.");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe("a span of 30,000 attributes and half as many events", () => {
  const settings = { LIMITS_MAX_SPAN_ATTRIBUTES: "1000000" };

  it("survives OTLP between collectors, and export to a file, without loss", async () => {
    const next = await startCollector(settings);
    const first = await startCollector({
      ...settings,
      EXPORTER_OTLP_ENDPOINT: next.url,
      EXPORTER_BATCH_SIZE: "1",
    });
    const sent = await post(
      first,
      "/v1/telemetry",
      "application/json",
      Buffer.from(JSON.stringify({ spans: [largeSpan()] })),
    );
    expect(sent.status).toBe(202);
    await first.settled();
    const { attributes, events } = largeSpan();
    const isWhole = async (collector: RunningCollector): Promise<boolean> => {
      const { attributes: kept, events: keptEvents } = (await exportedSpan(collector)) ?? {};
      return isDeepStrictEqual(kept, attributes) && isDeepStrictEqual(keptEvents, events);
    };
    expect(await isWhole(first)).toBe(true);

    await until(async () => (await first.metric('obs_export_spans_total{outcome="exported"}')) === 1);
    await next.settled();
    expect(await isWhole(next)).toBe(true);

    const lines = await (await fetch(`${next.url}/v1/export`)).text();
    const last = await startCollector(settings);
    const imported = await post(last, "/v1/import", "application/jsonl", Buffer.from(lines));
    expect(await imported.json()).toMatchObject({ spans: 1, refused_lines: 0 });
    expect(await isWhole(last)).toBe(true);
  });
});
