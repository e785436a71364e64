import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { ImportResult } from "../../src/api-schema/import.js";
import { readOtlpJsonInSteps } from "../../src/otlp/read-otlp-json.js";
import { startCollector } from "../running-collector.js";

const MAX_BODY = 250_000;
/** A line may have four times the maximum body, and its spans four times that as JSON. */
const MAX_MAPPED = MAX_BODY * 16;

/** A line of root spans of another library, all with one resource or scope. */
function lineOf(spans: number, { resourceText = "", scopeName = "" }): string {
  const hex = (n: number, digits: number): string => (n + 1).toString(16).padStart(digits, "0");
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: [{ key: "text", value: { stringValue: resourceText } }] },
        scopeSpans: [
          {
            scope: { name: scopeName },
            spans: Array.from({ length: spans }, (_, n) => ({
              traceId: hex(n, 32),
              spanId: hex(n, 16),
              name: "run",
            })),
          },
        ],
      },
    ],
  });
}

async function importLine(url: string, line: string): Promise<ImportResult> {
  const response = await fetch(`${url}/v1/import`, {
    method: "POST",
    headers: { "Content-Type": "application/jsonl", "Content-Encoding": "gzip" },
    body: gzipSync(line),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as ImportResult;
}

describe("POST /v1/import: spans that repeat what they share", () => {
  const TEXT = "x".repeat(500_000);

  it.each([
    ["a resource", { resourceText: TEXT }],
    ["the name of a scope", { scopeName: TEXT }],
  ])("takes %s of half a megabyte on each span, up to a limit of all spans", async (_what, shared) => {
    const { url, get, metric } = await startCollector({ LIMITS_MAX_BODY_BYTES: String(MAX_BODY) });
    const result = await importLine(url, lineOf(300, shared));
    const taken = Math.ceil(MAX_MAPPED / TEXT.length);
    expect(result).toMatchObject({
      refused_lines: 0,
      traces: taken,
      spans: taken,
      refused_spans: 300 - taken,
    });
    expect(result.problems).toEqual([
      { line: 1, message: expect.stringContaining("292 spans are left out") },
    ]);
    expect(await metric('obs_import_spans_total{outcome="refused"}')).toBe(300 - taken);
    expect((await get<{ traces: unknown[] }>("/v1/traces")).traces).toHaveLength(taken);
  });

  it("takes many spans with a small resource", async () => {
    const { url } = await startCollector({ LIMITS_MAX_BODY_BYTES: String(MAX_BODY) });
    const result = await importLine(url, lineOf(5000, { resourceText: "a host" }));
    expect(result).toMatchObject({ traces: 5000, spans: 5000, refused_spans: 0, problems: [] });
  });

  it("reads and maps a line in many steps", () => {
    const steps = readOtlpJsonInSteps(JSON.parse(lineOf(20_000, {})));
    let count = 0;
    while (steps.next().done !== true) count++;
    expect(count).toBeGreaterThan(100);
  });
});
