import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { onThemeChange, readColours } from "./chart-colours.js";
import { stack, type ChartSeries } from "./chart-data.js";
import { chartOptions } from "./chart-options.js";
import styles from "./time-chart.module.css";

interface TimeChartProps {
  /** Accessible name of the chart. */
  readonly name: string;
  /** Start of each point, in epoch seconds. */
  readonly times: readonly number[];
  readonly series: readonly ChartSeries[];
  readonly isStacked?: boolean;
  /** Formats a value for the axis, in few characters. */
  readonly formatShort: (value: number) => string;
  /** The point that all charts mark. */
  readonly point: number | undefined;
  readonly onPoint: (point: number | undefined) => void;
  /** A point was chosen, by a click or by Enter. */
  readonly onChoose?: (point: number) => void;
  /** The point in words. */
  readonly describe: (point: number) => string;
  /** The smallest maximum of the axis. */
  readonly minMax?: number;
}

/**
 * A line chart over time, on a canvas. Arrow keys move the mark and Enter chooses it; the marked values are announced
 * as text.
 */
export function TimeChart(props: TimeChartProps) {
  const { name, times, series, isStacked = false, point, onPoint, onChoose, describe } = props;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const theme = useThemeCount();
  const id = useId();
  const shape = JSON.stringify([
    isStacked,
    series.map(({ name: line, label, colour, dash, isFilled }) => [line, label, colour, dash, isFilled]),
    props.minMax,
  ]);

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const made = new uPlot(
      chartOptions({
        width: element.clientWidth,
        height: element.clientHeight,
        colours: readColours(),
        series: latest.current.series,
        isStacked,
        minMax: latest.current.minMax ?? 0,
        formatShort: (value) => latest.current.formatShort(value),
        onPoint: (next) => latest.current.onPoint(next),
        marked: () => latest.current.point,
      }),
      chartData(latest.current),
      element,
    );
    plot.current = made;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth > 0 && element.clientHeight > 0)
        made.setSize({ width: element.clientWidth, height: element.clientHeight });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [shape, theme, isStacked]);

  useEffect(() => plot.current?.setData(chartData(latest.current)), [times, series]);
  useEffect(() => plot.current?.redraw(false), [point]);

  function onKeyDown(event: KeyboardEvent): void {
    const last = times.length - 1;
    const from = point ?? last + 1;
    const to = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: last }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      onPoint(Math.min(last, Math.max(0, to)));
    } else if (event.key === "Enter" && point !== undefined) {
      event.preventDefault();
      onChoose?.(point);
    } else if (event.key === "Escape" && point !== undefined) {
      event.stopPropagation();
      onPoint(undefined);
    }
  }

  return (
    <div
      ref={box}
      id={id}
      className={styles.timeChart}
      role="slider"
      tabIndex={0}
      aria-label={name}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, times.length - 1)}
      aria-valuenow={point ?? Math.max(0, times.length - 1)}
      aria-valuetext={describe(point ?? times.length - 1)}
      onKeyDown={onKeyDown}
      onBlur={() => onPoint(undefined)}
      onClick={() => point !== undefined && onChoose?.(point)}
    />
  );
}

function chartData({ times, series, isStacked = false }: TimeChartProps): uPlot.AlignedData {
  const drawn = isStacked ? stack(series) : series;
  return [[...times], ...drawn.map(({ values }) => [...values])];
}

/** Increases when the theme changes, so that the canvas is redrawn. */
function useThemeCount(): number {
  const [count, setCount] = useState(0);
  useEffect(() => onThemeChange(() => setCount((before) => before + 1)), []);
  return count;
}
