import type uPlot from "uplot";
import { expect, test } from "vitest";
import { chartOptions } from "../../../src/renderer/components/chart/chart-options.js";

function axesOf(): uPlot.Axis[] {
  const colours = {
    series: [],
    text: "#000",
    grid: "#000",
    cross: "#000",
    ground: "#fff",
    wordFont: "Inter",
    monoFont: "JetBrains Mono",
  };
  return (
    chartOptions({
      width: 400,
      height: 200,
      colours,
      series: [],
      isStacked: false,
      minMax: 0,
      formatShort: String,
      onPoint: () => undefined,
      marked: () => undefined,
    }).axes ?? []
  );
}

test("the axes have a font of whole pixels, because uPlot multiplies only the digits before px", () => {
  const axes = axesOf();
  expect(axes.length).toBe(2);
  for (const { font } of axes) expect(font).toMatch(/^\d+px /);
});

test("times with seconds have more space than those without", () => {
  const [time] = axesOf();
  const spaceOf = (rangeSeconds: number): unknown =>
    typeof time?.space === "function" ? time.space({} as uPlot, 0, 0, rangeSeconds, 1000) : undefined;
  expect(spaceOf(300)).toBe(84);
  expect(spaceOf(3600)).toBe(62);
});
