import { describe, expect, it } from "vitest";
import {
  parseTraceSearch,
  tenantOf,
  traceIdOf,
  tracePath,
} from "../../../../src/renderer/features/trace/trace-address.js";

describe("the address", () => {
  it("round-trips with any ids", () => {
    const address = { spanId: "x&y=z", tab: "raw", view: "tree" } as const;
    for (const id of ["a/b?c#%2F d", ".", "..", "...", "%2e%2e", "by-id"])
      for (const tenant of ["", "a&b=c, ü"]) {
        // As a browser reads it.
        const url = new URL(tracePath({ traceId: id, tenant }, address), "http://localhost");
        expect(traceIdOf(url)).toBe(id);
        expect(parseTraceSearch(url.search)).toEqual(address);
        expect(tenantOf(url.search) ?? "").toBe(tenant);
      }
  });

  it("ignores unknown values, and leaves the view to the trace", () => {
    expect(parseTraceSearch("?tab=unknown&view=unknown&span=")).toEqual({
      spanId: undefined,
      tab: "messages",
      view: undefined,
    });
    const address = { spanId: undefined, tab: "raw", view: undefined } as const;
    expect(tracePath({ traceId: "a", tenant: "" }, address)).toBe("/traces/a?tab=raw");
  });
});
