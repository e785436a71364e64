import { describe, expect, it } from "vitest";
import { placeTip, readTip } from "../../../src/renderer/components/tooltip/tip-text.js";

describe("a tooltip", () => {
  it("has the keys that follow its text", () => {
    expect(readTip("Newer trace  K")).toEqual({ text: "Newer trace", keys: ["K"] });
    expect(readTip("Traces  G T")).toEqual({ text: "Traces", keys: ["G", "T"] });
    expect(readTip("Two words")).toEqual({ text: "Two words", keys: [] });
    expect(readTip("A sentence.  Another sentence.")).toEqual({
      text: "A sentence.  Another sentence.",
      keys: [],
    });
  });

  it("cuts a long text", () => {
    expect(readTip("a".repeat(5000)).text.length).toBeLessThan(1300);
  });

  it("is below its element, above it at the lower edge, and never outside of the window", () => {
    const view = { width: 900, height: 600 };
    const tip = { width: 200, height: 24 };
    const at = (left: number, top: number) => placeTip({ left, top, width: 40, height: 20 }, tip, view);
    expect(at(400, 100)).toEqual({ left: 320, top: 126 });
    expect(at(400, 580)).toEqual({ left: 320, top: 550 });
    expect(at(0, 0).left).toBe(8);
    expect(at(880, 0).left).toBe(692);
  });
});
