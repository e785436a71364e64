import { describe, expect, it } from "vitest";
import {
  deltaGrade,
  deltaPercent,
  deltaQuantity,
} from "../../../../src/renderer/features/compare/model/delta-text.js";
import { distanceText } from "../../../../src/renderer/features/compare/model/distance-text.js";
import { stepWords, stripWords } from "../../../../src/renderer/features/compare/model/step-words.js";
import { drawnParts, stripParts } from "../../../../src/renderer/features/compare/model/strip-parts.js";
import { newPair, newStep } from "./step-pairs.js";

describe("the words of a comparison", () => {
  it("say what differs in a step", () => {
    const tool = { a: newStep("a", { span_type: "tool" }), b: newStep("b", { span_type: "tool" }) };
    const words = (...args: Parameters<typeof newPair>) => {
      const { main, rest, tone } = stepWords(newPair(...args));
      return [main, rest, tone].join("|");
    };
    expect(words()).toBe("equal||equal");
    expect(words({ a: null })).toBe("only in B||single");
    expect(words({ differences: ["output"], changed_share: 0.412 })).toBe("text changed, 41 %||changed");
    expect(words({ differences: ["system", "tools", "output"] })).toBe(
      "text changed|system prompt, tool definitions|changed",
    );
    expect(words({ ...tool, differences: ["input", "output"] })).toBe("result changed|arguments|changed");
    expect(words({ ...tool, differences: ["input"] })).toBe("arguments changed||changed");
    const failed = newStep("b", { span_type: "tool", status: "ERROR", error: "timeout" });
    expect(words({ ...tool, b: failed, differences: ["error", "output"] })).toBe("timeout||error");
    expect(words({ a: failed, b: tool.b, differences: ["error"] })).toBe("failed in A: timeout||changed");
  });

  it("name the changed parts of a call in the strip", () => {
    const strip = (...args: Parameters<typeof newPair>) => stripWords(newPair(...args));
    expect(strip({ differences: ["model", "parameters", "system", "output"] })).toBe("model, prompt, output");
    expect(strip({ b: null })).toBe("only in A");
    expect(strip()).toBe("same");
  });

  it("have signs, units and a colour where a difference is worth one", () => {
    const delta = (a: number, b: number) => ({ a, b, delta: b - a });
    expect(deltaQuantity("duration_ms", delta(3000, 680))).toEqual({ value: "−2.32", unit: "s" });
    expect(deltaQuantity("tokens_input", delta(0, 3892))?.value).toBe("+3.9k");
    expect(deltaQuantity("cost_usd", delta(0.0249, 0.0309), "head")?.value).toBe("+$0.0060");
    expect(deltaQuantity("cost_usd", delta(1, 1))?.value).toBe("0");
    expect(deltaPercent(delta(11_240, 14_820))).toBe("+32 %");
    expect(deltaPercent(delta(0, 1))).toBeUndefined();
    expect(deltaPercent(delta(540, 540))).toBeUndefined();
    expect(deltaGrade("duration_ms", delta(2000, 2310))).toBe("worse");
    expect(deltaGrade("duration_ms", delta(2310, 2000))).toBe("better");
    expect(deltaGrade("duration_ms", delta(2000, 2199))).toBeUndefined();
    expect(deltaGrade("duration_ms", delta(100, 199))).toBeUndefined();
    expect(distanceText("2026-01-01T10:00:00Z", "2026-01-01T10:23:10Z")).toBe("23 min earlier");
    expect(distanceText("2026-01-03T10:00:00Z", "2026-01-01T10:00:00Z")).toBe("2 d later");
  });
});

describe("the strip of steps", () => {
  it("has every step of few, and of many joins the equal ones beside each other", () => {
    const same = newPair();
    const changed = newPair({ differences: ["output"] });
    expect(stripParts([same, same, changed])).toHaveLength(3);
    const many = [...Array.from({ length: 10 }, () => same), changed, changed, same, same, same];
    expect(stripParts(many)).toEqual([
      { from: 0, to: 10 },
      { from: 10, to: 11 },
      { from: 11, to: 12 },
      { from: 12, to: 15 },
    ]);
  });

  it("draws of very many steps those around the selected one", () => {
    expect(drawnParts(100, 3)).toEqual({ from: 0, to: 100 });
    expect(drawnParts(1000, 3)).toEqual({ from: 0, to: 160 });
    expect(drawnParts(1000, 500)).toEqual({ from: 420, to: 580 });
    expect(drawnParts(1000, 999)).toEqual({ from: 840, to: 1000 });
  });
});
