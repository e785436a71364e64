import { describe, expect, it } from "vitest";
import {
  tracesOf,
  viewAddress,
  viewFromSearch,
} from "../../../../src/renderer/features/metrics/stats-address.js";
import { DEFAULT_VIEW } from "../../../../src/renderer/store/stats-store.js";

describe("the address of the Metrics page", () => {
  it("says the view, and nothing where it is the default", () => {
    expect(viewAddress(DEFAULT_VIEW)).toBe("/stats");
    const view = { window: "6h", groupBy: "agent", filters: { env: "production" } } as const;
    expect(viewAddress(view)).toBe("/stats?window=6h&group_by=agent&env=production");
    expect(viewFromSearch("window=6h&group_by=agent&env=production")).toEqual(view);
    expect(viewFromSearch("window=9h&group_by=weather")).toEqual(DEFAULT_VIEW);
  });

  it("leads to the traces of a moment, with the filters that a list knows", () => {
    const view = { ...DEFAULT_VIEW, filters: { env: "production", provider: "openai" } };
    expect(tracesOf(view, Date.UTC(2026, 10, 21, 12), 10_000)).toBe(
      "/traces?since=2026-11-21T11%3A59%3A00.000Z&until=2026-11-21T12%3A00%3A10.000Z&env=production",
    );
  });
});
