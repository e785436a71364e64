import { describe, expect, it } from "vitest";
import { clampWidth, COLUMNS, layOutColumns } from "../../../../src/renderer/features/traces/columns.js";

const settings = {
  tableWidth: 1392,
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
      "16px 170px 102px 126px minmax(120px, 1fr) 64px 58px 98px 50px 86px 54px 34px 18px",
    );
  });

  it("hides TTFT, agent, spans and tokens in this order", () => {
    const all = idsAt(1160);
    expect(all).toHaveLength(COLUMNS.length - 1);
    expect(idsAt(1151)).toEqual(all.filter((id) => id !== "ttft"));
    expect(idsAt(1050)).not.toContain("agent");
    expect(idsAt(1050)).toContain("spans");
    expect(idsAt(1000)).not.toContain("spans");
    expect(idsAt(1000)).toContain("tokens");
    expect(idsAt(960)).not.toContain("tokens");
  });

  it("shows only status, name, duration and cost below 900, and the name takes the remaining width", () => {
    const { columns, template } = layOutColumns({ ...settings, tableWidth: 840 });
    expect(columns.map(({ id }) => id)).toEqual(["status", "name", "duration", "cost"]);
    expect(template).toBe("16px minmax(170px, 1fr) 98px 54px");
  });

  it("shows tenants only if there are any", () => {
    expect(idsAt(1392)).not.toContain("tenant");
    const { columns, template } = layOutColumns({ ...settings, hasTenants: true });
    expect(columns.map(({ id }) => id).slice(0, 4)).toEqual(["status", "name", "tenant", "agent"]);
    expect(template).toContain("16px 170px 76px 102px");
  });

  it("shows scores only if there are any", () => {
    expect(layOutColumns({ ...settings, hasScores: false }).columns.map(({ id }) => id)).not.toContain(
      "scores",
    );
  });

  it("keeps the name whatever is hidden, and applies chosen widths", () => {
    const { columns, template } = layOutColumns({
      ...settings,
      hidden: ["name", "agent"],
      widths: { name: 300, cost: 9999 },
    });
    expect(columns.map(({ id }) => id)).not.toContain("agent");
    expect(template).toContain("16px 300px 126px");
    expect(template).toContain("600px");
  });

  it("does not widen a narrow column when it is dragged narrower", () => {
    const errors = COLUMNS.find(({ id }) => id === "errors");
    expect(errors && clampWidth(errors, 0)).toBe(18);
  });
});
