import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clampWidth, COLUMNS, layOutColumns } from "../../../../src/renderer/features/traces/columns.js";

const settings = {
  tableWidth: 1391,
  hidden: [],
  widths: {},
  hasScores: true,
  hasTenants: false,
  hasDays: false,
};

const idsAt = (tableWidth: number): string[] =>
  layOutColumns({ ...settings, tableWidth }).columns.map(({ id }) => id);

describe("layOutColumns", () => {
  it("lays out the mockup's grid at 1440", () => {
    expect(layOutColumns(settings).template).toBe(
      "16px minmax(140px, 170px) 102px 126px minmax(260px, 1fr) 64px 58px 98px 50px 86px 62px 34px 18px",
    );
  });

  it("hides TTFT, agent, spans and tokens in this order, so that input → output keeps its width", () => {
    const all = idsAt(1286);
    expect(all).toHaveLength(COLUMNS.length - 1);
    const without = (...hidden: string[]) => all.filter((id) => !hidden.includes(id));
    expect(idsAt(1285)).toEqual(without("ttft"));
    // A window of 1280 pixels.
    expect(idsAt(1231)).toEqual(without("ttft"));
    expect(idsAt(1215)).toEqual(without("ttft", "agent"));
    expect(idsAt(1101)).toEqual(without("ttft", "agent", "spans"));
    expect(idsAt(1055)).toEqual(without("ttft", "agent", "spans", "tokens"));
    // A window of 900 pixels.
    expect(idsAt(851)).toEqual(["status", "name", "io", "scores", "start", "duration", "cost", "errors"]);
  });

  it("fits at every width, with 260 pixels for input → output from 900 on", () => {
    const sizes = { tableWidth: fc.integer({ min: 851, max: 2500 }), hasScores: fc.boolean() };
    fc.assert(
      fc.property(fc.record({ ...sizes, hasTenants: fc.boolean(), hasDays: fc.boolean() }), (size) => {
        const { template, minWidth } = layOutColumns({ ...settings, ...size });
        expect(minWidth).toBeLessThanOrEqual(size.tableWidth);
        expect(template).toContain("minmax(260px, 1fr)");
      }),
    );
  });

  it("shows only status, name, duration and cost below 900, and the name takes the remaining width", () => {
    const { columns, template } = layOutColumns({ ...settings, tableWidth: 840 });
    expect(columns.map(({ id }) => id)).toEqual(["status", "name", "duration", "cost"]);
    expect(template).toBe("16px minmax(170px, 1fr) 98px 62px");
  });

  it("shows tenants only if there are any", () => {
    expect(idsAt(1391)).not.toContain("tenant");
    const { columns, template } = layOutColumns({ ...settings, hasTenants: true });
    expect(columns.map(({ id }) => id).slice(0, 4)).toEqual(["status", "name", "tenant", "agent"]);
    expect(template).toContain("16px minmax(140px, 170px) 76px 102px");
  });

  it("shows scores only if there are any", () => {
    expect(layOutColumns({ ...settings, hasScores: false }).columns.map(({ id }) => id)).not.toContain(
      "scores",
    );
  });

  it("keeps the name whatever is hidden, and applies chosen widths", () => {
    const { columns, template } = layOutColumns({
      ...settings,
      tableWidth: 2000,
      hidden: ["name", "agent"],
      widths: { name: 300, cost: 9999 },
    });
    expect(columns.map(({ id }) => id)).not.toContain("agent");
    expect(template).toContain("16px 300px 160px");
    expect(template).toContain("600px");
  });

  it("does not widen a narrow column when it is dragged narrower", () => {
    const errors = COLUMNS.find(({ id }) => id === "errors");
    expect(errors && clampWidth(errors, 0)).toBe(18);
  });
});
