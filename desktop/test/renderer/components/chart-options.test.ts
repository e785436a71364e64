import { expect, test } from "vitest";
import { chartOptions } from "../../../src/renderer/components/chart/chart-options.js";

test("the axes have a font of whole pixels, because uPlot multiplies only the digits before px", () => {
  const colours = {
    series: [],
    text: "#000",
    grid: "#000",
    cross: "#000",
    ground: "#fff",
    wordFont: "Inter",
    monoFont: "JetBrains Mono",
  };
  const { axes = [] } = chartOptions({
    width: 400,
    height: 200,
    colours,
    series: [],
    isStacked: false,
    minMax: 0,
    formatShort: String,
    onPoint: () => undefined,
    marked: () => undefined,
  });
  expect(axes.length).toBe(2);
  for (const { font } of axes) expect(font).toMatch(/^\d+px /);
});
