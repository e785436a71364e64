import { describe, expect, it } from "vitest";
import { errorOf, startCollector, type RunningCollector } from "../running-collector.js";

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly type?: string; readonly minimum?: number; readonly maximum?: number };
}

/** The numbers in the queries of all routes, from the description of the API. */
async function numberParameters(get: RunningCollector["get"]): Promise<(Parameter & { path: string })[]> {
  const { paths } = await get<{
    paths: Record<string, { readonly get?: { readonly parameters?: readonly Parameter[] } }>;
  }>("/openapi.json");
  return Object.entries(paths).flatMap(([path, operations]) =>
    (operations.get?.parameters ?? [])
      .filter((each) => each.in === "query" && /^(?:integer|number)$/.test(each.schema.type ?? ""))
      .map((each) => ({ ...each, path: path.replace("{trace_id}", "t1") })),
  );
}

describe("a number of a query that is out of range or malformed", () => {
  it("is refused with the name, the value and the range, by every route", async () => {
    const { url, get } = await startCollector();
    const parameters = await numberParameters(get);
    expect(parameters.length).toBeGreaterThan(8);
    for (const { path, name, schema } of parameters) {
      const { type, minimum, maximum } = schema;
      expect({ path, name, minimum, maximum }).toMatchObject({
        minimum: expect.any(Number),
        maximum: expect.any(Number),
      });
      const values = ["1e999", "-1e999", "0x10", "abc", "", "NaN", " 1", "9".repeat(400)];
      values.push(String((minimum ?? 0) - 1), String((maximum ?? 0) + 1));
      if (type === "integer") values.push("1.5");
      for (const value of values) {
        const response = await fetch(`${url}${path}?${name}=${encodeURIComponent(value)}`);
        const { status, message } = await errorOf(response);
        const range = `${name} must be a ${type === "integer" ? "whole " : ""}number from ${minimum} to ${maximum}, not `;
        expect({ path, value, status, message }).toMatchObject({
          status: 400,
          message: expect.stringContaining(range),
        });
        expect(message).toContain(value.slice(0, 64));
      }
    }
  });

  it.each([
    ["/v1/traces", "since", ["1e999", "-1", "9".repeat(30)], "RFC 3339"],
    ["/v1/traces", "until", ["1e999", "-1", "9".repeat(30)], "RFC 3339"],
    ["/v1/evaluations", "since", ["1e999", "9".repeat(30)], "RFC 3339"],
    ["/v1/stats", "window", ["1e999", "0", "-5", "25h", "9".repeat(12)], "24 h"],
    ["/v1/stats", "step", ["1e999", "0", "7", "2h"], "step must be a"],
  ])(
    "is refused with the name and the value where it has a unit: %s?%s",
    async (path, name, values, text) => {
      const { url } = await startCollector();
      for (const value of values) {
        const error = await errorOf(await fetch(`${url}${path}?${name}=${value}`));
        expect({ value, ...error }).toMatchObject({ status: 400, code: "invalid_query" });
        expect(error.message).toContain(text);
        expect(error.message).toContain(`not "${value}`);
      }
    },
  );
});
