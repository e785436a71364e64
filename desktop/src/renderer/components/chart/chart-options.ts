import type uPlot from "uplot";
import { faded, type ChartColours } from "./chart-colours.js";
import { byEnd, lastPoint, lonePoints, spreadLabels, type ChartSeries } from "./chart-data.js";

export interface ChartLook {
  readonly width: number;
  readonly height: number;
  readonly colours: ChartColours;
  readonly series: readonly ChartSeries[];
  readonly isStacked: boolean;
  readonly minMax: number;
  /** Formats a value for the axis, in few characters. */
  readonly formatShort: (value: number) => string;
  readonly onPoint: (point: number | undefined) => void;
  /** The point that all charts mark. */
  readonly marked: () => number | undefined;
}

/** Space for the names at the ends of the lines. */
const LABELS_WIDTH = 82;
const LABEL_HEIGHT = 13;
const TIME_AXIS_HEIGHT = 20;
const VALUE_AXIS_WIDTH = 50;
/** Between two times of the axis; those of a short range may have seconds. */
const SPACE_PX = 62;
const SECONDS_SPACE_PX = 84;
const SECONDS_RANGE = 600;
/** Whole pixels: uPlot multiplies the digits before `px` by the pixel ratio, and reads 10.5px as 5px. */
const FONT_PX = 11;
/** From the fifth colour on, dashes help to distinguish the lines. */
const PLAIN_COLOURS = 4;
const DASH: readonly number[] = [4, 3];

/** The uPlot options for the charts of this app. */
export function chartOptions(look: ChartLook): uPlot.Options {
  const { colours, series, isStacked } = look;
  const colourOf = ({ colour }: ChartSeries): string =>
    colours.series[colour % colours.series.length] ?? colours.text;
  const axis = {
    stroke: colours.text,
    font: `${FONT_PX}px ${colours.monoFont}`,
    ticks: { show: false },
    gap: 6,
  };
  return {
    width: look.width,
    height: look.height,
    padding: [8, series.length > 1 ? LABELS_WIDTH : 10, 0, 0],
    legend: { show: false },
    scales: {
      x: { time: true },
      y: { range: (_plot, _min, max) => [0, niceMax(Math.max(max, look.minMax))] },
    },
    axes: [
      {
        ...axis,
        size: TIME_AXIS_HEIGHT,
        space: (_plot, _axis, min, max) => (max - min <= SECONDS_RANGE ? SECONDS_SPACE_PX : SPACE_PX),
        grid: { show: false },
        values: (_plot, splits) => splits.map((seconds) => clock(seconds)),
      },
      {
        ...axis,
        size: VALUE_AXIS_WIDTH,
        splits: (_plot, _axis, _min, max) => [0, max / 2, max],
        grid: { stroke: colours.grid, width: 1 },
        values: (_plot, splits) => splits.map((value) => look.formatShort(value)),
      },
    ],
    cursor: {
      y: false,
      x: false,
      drag: { x: false, y: false },
      points: { show: false },
    },
    series: [
      {},
      ...series.map((each, index): uPlot.Series => {
        const stroke = colourOf(each);
        const dash = each.dash ?? (each.colour >= PLAIN_COLOURS ? DASH : undefined);
        return {
          label: each.name,
          stroke,
          width: 1.5,
          ...(dash === undefined ? {} : { dash: [...dash] }),
          ...(each.isFilled === true && !isStacked ? { fill: faded(stroke, 0.12) } : {}),
          ...(isStacked && index === 0 ? { fill: faded(stroke, 0.3) } : {}),
          spanGaps: false,
          points: {
            show: true,
            size: 5,
            stroke,
            fill: stroke,
            filter: (plot, place) => lonePoints([...(plot.data[place] ?? [])]),
          },
        };
      }),
    ],
    ...(isStacked ? { bands: stackedBands(series, colourOf) } : {}),
    hooks: {
      setCursor: [
        ({ cursor }) => {
          // A pointer that rests elsewhere does not move a mark that was moved by keys.
          if (cursor.event !== undefined) look.onPoint(cursor.idx ?? undefined);
        },
      ],
      draw: [(plot) => drawLabels(plot, look, colourOf), (plot) => drawMark(plot, look, colourOf)],
    },
  };
}

/** Fills the area between each line and the one below it; the lowest line fills down to zero. */
function stackedBands(
  series: readonly ChartSeries[],
  colourOf: (series: ChartSeries) => string,
): uPlot.Band[] {
  return series.slice(1).map((each, index) => ({
    series: [index + 2, index + 1],
    fill: faded(colourOf(each), 0.3),
  }));
}

function drawLabels(
  plot: uPlot,
  { series, colours }: ChartLook,
  colourOf: (series: ChartSeries) => string,
): void {
  if (series.length < 2) return;
  const { ctx, bbox } = plot;
  const ratio = window.devicePixelRatio;
  const ends = series
    .flatMap((each, index) => {
      const values = plot.data[index + 1];
      const last = values === undefined ? undefined : lastPoint([...values]);
      const value = last === undefined ? undefined : values?.[last];
      return value == null ? [] : [{ each, y: plot.valToPos(value, "y", true) }];
    })
    .toSorted(byEnd);
  const places = spreadLabels(
    ends.map(({ y }) => y),
    LABEL_HEIGHT * ratio,
    bbox.top + bbox.height,
  );
  ctx.save();
  ctx.font = `500 ${FONT_PX * ratio}px ${colours.wordFont}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  for (const [index, { each }] of ends.entries()) {
    ctx.fillStyle = colourOf(each) || colours.text;
    const text = cutToWidth(ctx, each.label ?? each.name, (LABELS_WIDTH - 10) * ratio);
    ctx.fillText(text, bbox.left + bbox.width + 7 * ratio, places[index] ?? 0);
  }
  ctx.restore();
}

/** The crosshair that all charts share, with a ring on each line. */
function drawMark(plot: uPlot, look: ChartLook, colourOf: (series: ChartSeries) => string): void {
  const point = look.marked();
  const seconds = point === undefined ? undefined : plot.data[0][point];
  if (point === undefined || seconds === undefined) return;
  const { ctx, bbox } = plot;
  const ratio = window.devicePixelRatio;
  const x = Math.round(plot.valToPos(seconds, "x", true));
  ctx.save();
  ctx.strokeStyle = look.colours.cross;
  ctx.lineWidth = ratio;
  ctx.setLineDash([2 * ratio, 3 * ratio]);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.setLineDash([]);
  ctx.lineWidth = 1.5 * ratio;
  for (const [index, each] of look.series.entries()) {
    const value = plot.data[index + 1]?.[point];
    if (value == null) continue;
    ctx.beginPath();
    ctx.arc(x, plot.valToPos(value, "y", true), 3 * ratio, 0, 2 * Math.PI);
    ctx.fillStyle = look.colours.ground;
    ctx.fill();
    ctx.strokeStyle = colourOf(each);
    ctx.stroke();
  }
  ctx.restore();
}

function cutToWidth(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  let cut = text;
  while (cut.length > 1 && context.measureText(`${cut}…`).width > width) cut = cut.slice(0, -1);
  return `${cut}…`;
}

/** The end of an axis with two steps: the next number that is easy to read. */
export function niceMax(max: number): number {
  if (!(max > 0)) return 1;
  const magnitude = 10 ** Math.floor(Math.log10(max));
  const step = [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10].find((each) => each * magnitude >= max * 1.04) ?? 12;
  return step * magnitude;
}

function clock(seconds: number): string {
  const time = new Date(seconds * 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  const minutes = `${two(time.getHours())}:${two(time.getMinutes())}`;
  return time.getSeconds() === 0 ? minutes : `${minutes}:${two(time.getSeconds())}`;
}
