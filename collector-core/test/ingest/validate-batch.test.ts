import fc from "fast-check";
import Type from "typebox";
import Value from "typebox/value";
import { describe, expect, it } from "vitest";
import { BatchFields, RequiredSpanFields } from "../../src/api-schema/telemetry.js";
import { RefusedBatch, validateBatch } from "../../src/ingest/validate-batch.js";
import { randomRuns } from "../random-runs.js";

/** The required parts of the published schema; unusable optional values are accepted (contract 1). */
const Required = Type.Object({ ...BatchFields, spans: Type.Array(Type.Object(RequiredSpanFields)) });

function isRefused(body: unknown): boolean {
  try {
    validateBatch(body, 50_000);
    return false;
  } catch (error) {
    expect(error).toBeInstanceOf(RefusedBatch);
    return true;
  }
}

describe("validateBatch", () => {
  it("refuses exactly what the published schema refuses", () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ minLength: 120, maxLength: 140 }),
      fc.constantFrom("😀".repeat(128), "😀".repeat(129)),
    );
    const value = fc.oneof(text, fc.constantFrom(undefined, null, 0, true, [], {}));
    const span = fc.oneof(
      { weight: 5, arbitrary: fc.record({ name: text, trace_id: text, status: value }) },
      { weight: 1, arbitrary: fc.record({ name: value, trace_id: value }, { requiredKeys: [] }) },
      { weight: 1, arbitrary: value },
    );
    const batch = fc.oneof(
      { weight: 5, arbitrary: fc.record({ service: text, spans: fc.array(span, { maxLength: 3 }) }) },
      {
        weight: 2,
        arbitrary: fc.record({
          service: value,
          env: value,
          version: value,
          spans: fc.array(span, { maxLength: 2 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ spans: value }) },
      { weight: 1, arbitrary: value },
    );
    fc.assert(
      fc.property(batch, (candidate) => {
        const body = JSON.parse(JSON.stringify(candidate ?? null)) as unknown;
        expect(isRefused(body)).toBe(!Value.Check(Required, body));
      }),
      { numRuns: randomRuns(750) },
    );
  });
});
