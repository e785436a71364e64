import { describe, expect, it } from "vitest";
import {
  compareHref,
  parseCompareSearch,
} from "../../../../src/renderer/features/compare/compare-address.js";

const search = (href: string): string => href.slice(href.indexOf("?"));

describe("the URL of a comparison", () => {
  it.each([
    [{ a: { traceId: "a", tenant: "acme" }, b: { traceId: "b", tenant: "acme" } }],
    [{ a: { traceId: "a", tenant: "acme" }, b: { traceId: "a", tenant: "globex" } }],
    [{ a: { traceId: "a", tenant: "" }, b: { traceId: "a", tenant: "globex" } }],
    [{ a: undefined, b: { traceId: "../?&#", tenant: "acme" } }],
  ])("names both runs with their tenants: %j", (keys) => {
    expect(parseCompareSearch(search(compareHref(keys))).keys).toEqual(keys);
  });

  it("names no tenant if there are none", () => {
    const keys = { a: { traceId: "a", tenant: "" }, b: { traceId: "b", tenant: "" } };
    expect(compareHref(keys, { view: "prompts", step: "s" })).toBe("/compare?a=a&b=b&view=prompts&step=s");
  });

  it("takes a single run as B, and ignores what it does not know", () => {
    expect(parseCompareSearch("?a=x&view=other")).toEqual({
      keys: { a: undefined, b: { traceId: "x", tenant: undefined } },
      view: "spans",
      step: undefined,
    });
    expect(parseCompareSearch("").keys).toBeUndefined();
  });
});
