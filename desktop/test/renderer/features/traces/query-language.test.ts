import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filtersFromSearch, tracesAddress } from "../../../../src/renderer/features/traces/filter-address.js";
import {
  FILTER_KEYS,
  formatQuery,
  formatQueryText,
  joinQuery,
  problemIn,
  readQuery,
  splitQuery,
} from "../../../../src/renderer/features/traces/query-language.js";

describe("readQuery", () => {
  it.each([
    ["", {}],
    ["   ", {}],
    ["service:shop", { service: "shop" }],
    ["service:shop env:production", { service: "shop", env: "production" }],
    ["late parcel", { query: "late parcel" }],
    ["late service:shop parcel", { service: "shop", query: "late parcel" }],
    ['agent:"front desk"', { agent: "front desk" }],
    ['agent:front" "desk', { agent: "front desk" }],
    ['agent:"say \\"hi\\" \\\\o/"', { agent: 'say "hi" \\o/' }],
    ['"service:shop"', { query: '"service:shop"' }],
    ["model:a model:b", { model: "b" }],
    ["model:a,b", { query: "model:a,b" }],
    ["-model:a", { query: "-model:a" }],
    ["type:llm name:run", { span_type: "llm", root_name: "run" }],
    ["tenant:acme late", { tenant: "acme", query: "late" }],
    ["model:", {}],
    ["model: gpt", { query: "gpt" }],
    ["http://example.org", { query: "http://example.org" }],
    ["Service:shop", { service: "shop" }],
    ["trace_id:a:b", { trace_id: "a:b" }],
    ["status:error", { status: "ERROR" }],
    ['status:"error"', { status: "error" }],
    ["status:Degraded", { status: "Degraded" }],
    ['agent:"never closed', { agent: "never closed" }],
    ['tool:"never closed', { query: 'tool:"never closed"' }],
    ["duration:>2s @customer.tier:gold", { query: "duration:>2s @customer.tier:gold" }],
    ["servce:shop", { query: "servce:shop" }],
  ])("reads %s", (query, filters) => {
    expect(readQuery(query)).toEqual(filters);
  });

  it("round-trips with formatQuery", () => {
    const value = fc.string({ minLength: 1, unit: "grapheme" });
    const filters = fc.record(Object.fromEntries(FILTER_KEYS.map((key) => [key, value])), {
      requiredKeys: [],
    });
    fc.assert(
      fc.property(filters, value, (each, text) => {
        const query = formatQueryText(text);
        expect(readQuery(formatQuery({ ...each, query }))).toEqual({ ...each, query });
      }),
    );
  });
});

describe("formatQuery", () => {
  it("uses quotes only if necessary", () => {
    expect(formatQuery({ service: "shop", agent: "front desk", status: "ERROR", query: "late parcel" })).toBe(
      'service:shop agent:"front desk" status:ERROR late parcel',
    );
    expect(formatQuery({ status: "ok" })).toBe('status:"ok"');
  });
});

describe("splitQuery", () => {
  it("divides a query into tokens and words, which joinQuery joins", () => {
    const query = 'late tool:search,crm -@"a:b":"c d" "two words" -refund';
    const { tokens, words } = splitQuery(query);
    expect(tokens.map(({ key, value }) => [key, value])).toEqual([
      ["tool", "search,crm"],
      ["-@a:b", '"c d"'],
    ]);
    expect(words).toBe('late "two words" -refund');
    expect(joinQuery(tokens, words)).toBe('tool:search,crm -@"a:b":"c d" late "two words" -refund');
    expect(joinQuery([], " ")).toBeUndefined();
  });
});

describe("problemIn", () => {
  it("names an unknown key and a bad value", () => {
    expect(problemIn("late servce:shop")).toEqual({
      position: 5,
      sentence: expect.stringMatching(
        /^There is no key "servce" \(did you mean "service"\?\); .*\.$/,
      ) as string,
    });
    expect(problemIn("duration:fast")?.sentence).toMatch(/^Duration must be a number/);
    expect(problemIn('tool:search "late: parcel"')).toBeUndefined();
  });
});

describe("the address", () => {
  it("round-trips filters", () => {
    const filters = { service: "a&b", agent: "front desk", query: 'tool:x "ü"' };
    const address = tracesAddress(filters);
    expect(filtersFromSearch(address.slice(address.indexOf("?")))).toEqual(filters);
  });

  it("reads a literal text as a phrase", () => {
    expect(filtersFromSearch("?q=two%20words&query=tool%3Ax")).toEqual({ query: 'tool:x "two words"' });
  });

  it("has no question mark without filters", () => {
    expect(tracesAddress({})).toBe("/traces");
  });

  it("ignores unknown and empty parameters", () => {
    expect(filtersFromSearch("?utm_source=mail&env=")).toEqual({});
  });
});
