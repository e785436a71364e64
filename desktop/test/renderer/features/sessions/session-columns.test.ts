import { describe, expect, it } from "vitest";
import {
  layOutSessions,
  SESSION_COLUMNS,
} from "../../../../src/renderer/features/sessions/session-columns.js";

/** The columns in a window of this width, beside the rail and the edge of the page. */
const idsIn = (windowPx: number): string[] =>
  layOutSessions({
    tableWidth: windowPx - 49,
    hidden: [],
    widths: {},
    hasTenants: false,
    hasDays: false,
  }).columns.map(({ id }) => id);

describe("layOutSessions", () => {
  it("has room for every column in a window of 1280 pixels, and for all but the agents in one of 1279", () => {
    const all = SESSION_COLUMNS.map(({ id }) => id).filter((id) => id !== "tenant");
    expect(idsIn(1280)).toEqual(all);
    expect(idsIn(1279)).toEqual(all.filter((id) => id !== "agents"));
  });

  it("keeps the scores in a window of 900 pixels", () => {
    expect(idsIn(900)).toEqual(["state", "user", "io", "turns", "cost", "errors", "scores", "last"]);
  });
});
