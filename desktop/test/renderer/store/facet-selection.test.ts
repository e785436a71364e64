import { parseQuery } from "@obspan/collector-core/api-schema";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  NO_SELECTION,
  selectionOf,
  toggled,
  withSelection,
} from "../../../src/renderer/store/facet-selection.js";

import {
  rangeOf,
  traceFiltersOf,
  withoutSession,
  withRange,
} from "../../../src/renderer/store/session-terms.js";

describe("the chosen values of a filter", () => {
  it("are one parameter for one value, and terms of the query for more", () => {
    const filters = { env: "production", query: "-tool:search late parcel" };
    expect(withSelection(filters, "service", { include: ["shop"], exclude: [] })).toEqual({
      ...filters,
      service: "shop",
    });
    const several = withSelection(filters, "service", { include: ["shop", "front desk"], exclude: ["a,b"] });
    expect(several).toEqual({
      env: "production",
      query: '-tool:search late parcel service:shop,"front desk" -service:"a,b"',
    });
    expect(selectionOf(several, "service")).toEqual({ include: ["shop", "front desk"], exclude: ["a,b"] });
    expect(withSelection(several, "service", NO_SELECTION)).toEqual(filters);
  });

  it("include those of a typed query, by any name of the key", () => {
    const filters = { span_type: "llm", query: "span_type:tool -type:agent @type:x" };
    expect(selectionOf(filters, "span_type")).toEqual({ include: ["llm", "tool"], exclude: ["agent"] });
    expect(withSelection(filters, "span_type", { include: ["llm", "tool"], exclude: [] })).toEqual({
      query: "@type:x type:llm,tool",
    });
  });

  it("are terms of the query for keys of users and sessions, and the ranges of a session too", () => {
    const filters = withSelection({ query: "turns:1 late" }, "user", { include: ["u_1"], exclude: [] });
    expect(filters).toEqual({ query: "turns:1 late user:u_1" });
    const failed = withSelection(filters, "state", { include: ["failed"], exclude: ["running"] });
    expect(selectionOf(failed, "state")).toEqual({ include: ["failed"], exclude: ["running"] });
    expect(rangeOf(failed, "turns")).toBe("1");
    const longer = withRange(failed, "turns", ">=3");
    expect(longer).toEqual({ query: "late user:u_1 state:failed -state:running turns:>=3" });
    expect(parseQuery(longer.query ?? "", "sessions").problems).toEqual([]);
    expect(rangeOf(withRange(longer, "turns", undefined), "turns")).toBeUndefined();
    expect(traceFiltersOf({ service: "shop", ...longer })).toEqual({
      service: "shop",
      query: "late user:u_1",
    });
    expect(withoutSession(longer)).toEqual({ query: 'late user:u_1 session:""' });
    expect(withoutSession({ query: "session:s1" })).toBeUndefined();
  });

  it("are added, removed and moved to the other side one by one", () => {
    const one = toggled(NO_SELECTION, "a", "include");
    expect(toggled(one, "b", "include").include).toEqual(["a", "b"]);
    expect(toggled(one, "a", "exclude")).toEqual({ include: [], exclude: ["a"] });
    expect(toggled(one, "a", "include")).toEqual(NO_SELECTION);
  });

  it("round-trip whatever they contain, as a query without a problem", () => {
    const value = fc.string({ minLength: 1, maxLength: 12 });
    const selection = fc.record({
      include: fc.uniqueArray(value, { maxLength: 4 }),
      exclude: fc.uniqueArray(value, { maxLength: 4 }),
    });
    fc.assert(
      fc.property(selection, (chosen) => {
        const filters = withSelection({ query: "late parcel" }, "agent", chosen);
        expect(selectionOf(filters, "agent")).toEqual(chosen);
        expect(parseQuery(filters.query ?? "").problems).toEqual([]);
        expect(withSelection(filters, "agent", NO_SELECTION)).toEqual({ query: "late parcel" });
      }),
    );
  });
});
