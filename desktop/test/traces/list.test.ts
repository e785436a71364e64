import { describe, expect, it } from "vitest";
import { clampWidth, COLUMNS, layOutColumns } from "../../src/renderer/features/traces/columns.js";
import { barScale } from "../../src/renderer/features/traces/duration-cell.js";
import { gradeScores, worstScore } from "../../src/renderer/score-grades.js";
import { moveTarget } from "../../src/renderer/features/traces/use-list-keys.js";
import { highlightLine } from "../../src/renderer/features/traces/first-run/highlight.js";
import { SNIPPETS } from "../../src/renderer/features/traces/first-run/snippets.js";

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
  it("spec app 3: lays out the grid of a window of 1440 px", () => {
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

  it("leaves status, name, duration and cost below 900, the name taking what is left", () => {
    const { columns, template } = layOutColumns({ ...settings, tableWidth: 840 });
    expect(columns.map(({ id }) => id)).toEqual(["status", "name", "duration", "cost"]);
    expect(template).toBe("16px minmax(170px, 1fr) 98px 54px");
  });

  it("shows tenants only where there are any", () => {
    expect(idsAt(1392)).not.toContain("tenant");
    const { columns, template } = layOutColumns({ ...settings, hasTenants: true });
    expect(columns.map(({ id }) => id).slice(0, 4)).toEqual(["status", "name", "tenant", "agent"]);
    expect(template).toContain("16px 170px 76px 102px");
  });

  it("shows scores only where there are any", () => {
    expect(layOutColumns({ ...settings, hasScores: false }).columns.map(({ id }) => id)).not.toContain(
      "scores",
    );
  });

  it("keeps the name, whatever is hidden, and takes widths that were chosen", () => {
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

describe("moveTarget", () => {
  const state = { rowCount: 100, activeIndex: 10, rowsPerPage: () => 20 };
  it.each([
    ["ArrowDown", 11],
    ["ArrowUp", 9],
    ["PageDown", 30],
    ["PageUp", 0],
    ["Home", 0],
    ["End", 99],
    ["a", undefined],
  ])("%s goes to %s", (key, target) => expect(moveTarget(key, state)).toBe(target));

  it("begins at the top, and stops at the ends", () => {
    expect(moveTarget("ArrowDown", { ...state, activeIndex: -1 })).toBe(0);
    expect(moveTarget("ArrowUp", { ...state, activeIndex: -1 })).toBe(0);
    expect(moveTarget("ArrowDown", { ...state, activeIndex: 99 })).toBe(99);
    expect(moveTarget("End", { ...state, rowCount: 0 })).toBeUndefined();
  });
});

describe("scores", () => {
  const score = (type: string, value: number) => ({ type, score: value, label: null });

  it("counts types of which less is better the other way round", () => {
    const graded = gradeScores([score("relevance", 0.94), score("hallucination", 0.62)]);
    expect(graded.map(({ grade }) => grade)).toEqual(["good", "bad"]);
    expect(worstScore(graded)?.score).toBe(0.62);
  });

  it("judges no refusal", () => {
    const graded = gradeScores([score("refusal", 0), score("relevance", 0.7)]);
    expect(graded.map(({ grade }) => grade)).toEqual(["good", "weak"]);
    expect(worstScore(graded)?.type).toBe("relevance");
  });
});

describe("snippets", () => {
  it("keep every letter when they are coloured", () => {
    const pieces = SNIPPETS.flatMap(({ code, language }) =>
      [false, true].map((wantsKey) => ({ text: code("http://127.0.0.1:8080", wantsKey), language })),
    );
    for (const { text: code, language } of pieces) {
      for (const line of code.split("\n")) {
        expect(
          highlightLine(line, language)
            .map(({ text }) => text)
            .join(""),
        ).toBe(line);
      }
    }
  });

  it("carry the key from the environment where the collector wants one, and only there", () => {
    for (const { code } of SNIPPETS) {
      expect(code("http://127.0.0.1:8080", true)).toMatch(/key.*OBS_API_KEY/i);
      expect(code("http://127.0.0.1:8080", false)).not.toContain("OBS_API_KEY");
    }
  });

  it("tell comments, keys, strings and numbers apart", () => {
    expect(highlightLine('# "a": 1', "shell")).toEqual([{ text: '# "a": 1', role: "comment" }]);
    const roles = highlightLine('{"model": "gpt", "tokens_input": 12}', "python").filter(({ role }) => role);
    expect(roles.map(({ role }) => role)).toEqual(["key", "string", "key", "number"]);
  });
});

describe("barScale", () => {
  it("rounds up to a scale that leaves the longest bar at least three quarters of its room", () => {
    expect([1, 1.1, 7, 1299, 14_820, 31_460, 99_999].map(barScale)).toEqual([
      1, 1.25, 8, 1500, 15_000, 40_000, 100_000,
    ]);
    for (let ms = 1; ms < 1e7; ms *= 1.07) {
      expect(ms / barScale(ms)).toBeLessThanOrEqual(1);
      expect(ms / barScale(ms)).toBeGreaterThan(0.75);
    }
  });
});
