import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filtersFromSearch, tracesAddress } from "../../../../src/renderer/features/traces/filter-address.js";
import {
  FILTER_KEYS,
  formatQuery,
  parseQuery,
} from "../../../../src/renderer/features/traces/query-language.js";

describe("parseQuery", () => {
  it.each([
    ["", {}],
    ["   ", {}],
    ["service:shop", { service: "shop" }],
    ["service:shop env:production", { service: "shop", env: "production" }],
    ["late parcel", { q: "late parcel" }],
    ["late service:shop parcel", { service: "shop", q: "late parcel" }],
    ['agent:"front desk"', { agent: "front desk" }],
    ['agent:front" "desk', { agent: "front desk" }],
    ['agent:"say \\"hi\\" \\\\o/"', { agent: 'say "hi" \\o/' }],
    ['"service:shop"', { q: "service:shop" }],
    ['"two  spaces"', { q: "two  spaces" }],
    ["model:a model:b", { model: "b" }],
    ["tenant:acme late", { tenant: "acme", q: "late" }],
    ["model:", {}],
    ["model: gpt", { q: "gpt" }],
    ["http://example.org", { q: "http://example.org" }],
    ["Service:shop", { q: "Service:shop" }],
    ["trace_id:a:b", { trace_id: "a:b" }],
    ["status:error", { status: "ERROR" }],
    ['status:"error"', { status: "error" }],
    ["status:Degraded", { status: "Degraded" }],
    ['agent:"never closed', { agent: "never closed" }],
  ])("reads %s", (query, filters) => {
    expect(parseQuery(query)).toEqual(filters);
  });

  it("round-trips with formatQuery", () => {
    const value = fc.string({ minLength: 1, unit: "grapheme" });
    const filters = fc.record(Object.fromEntries([...FILTER_KEYS, "q"].map((key) => [key, value])), {
      requiredKeys: [],
    });
    fc.assert(
      fc.property(filters, (each) => {
        expect(parseQuery(formatQuery(each))).toEqual({ ...each });
      }),
    );
  });
});

describe("formatQuery", () => {
  it("uses quotes only if necessary", () => {
    expect(formatQuery({ service: "shop", agent: "front desk", status: "ERROR", q: "late parcel" })).toBe(
      'service:shop agent:"front desk" status:ERROR late parcel',
    );
    expect(formatQuery({ q: "env:x" })).toBe('"env:x"');
    expect(formatQuery({ status: "ok" })).toBe('status:"ok"');
  });
});

describe("the address", () => {
  it("round-trips filters", () => {
    const filters = { service: "a&b", agent: "front desk", q: 'say "ü"' };
    const address = tracesAddress(filters);
    expect(filtersFromSearch(address.slice(address.indexOf("?")))).toEqual(filters);
  });

  it("has no question mark without filters", () => {
    expect(tracesAddress({})).toBe("/traces");
  });

  it("ignores unknown and empty parameters", () => {
    expect(filtersFromSearch("?utm_source=mail&env=")).toEqual({});
  });
});
