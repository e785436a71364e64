import type { EvaluationSummary } from "@obspan/collector-core/api-schema";
import { useId, useRef } from "react";
import { useElementWidth } from "../../components/use-element-width.js";
import { formatScore } from "../../format.js";
import { directedTypeText } from "../../components/type-text.js";
import { classNames } from "../../components/class-names.js";
import panelStyles from "../../components/panel.module.css";
import textStyles from "../../components/text.module.css";
import chartStyles from "./chart.module.css";
import evaluationsPageStyles from "./evaluations-page.module.css";

/** The plot, in pixels. */
const HEIGHT = 192;
const LEFT = 28;
/** Space for the names at the ends of the lines. */
const LABELS = 132;
const LEAST_WIDTH = 320;
/** Left and right of the plot. */
const PADDING = 24;
const BOTTOM = 172.5;
const TOP = 0.5;
const LABEL_GAP = 16;
const MAX_LINES = 8;
const DASHES = [undefined, undefined, undefined, undefined, "5 2", "5 2", "1 3", "1 3"];
const GRID = [0, 0.25, 0.5, 0.75, 1];

type TypeSummary = EvaluationSummary["types"][number];

/** Mean score by type over time, with the names at the ends of the lines. */
export function ScoresPanel({ summary }: { summary: EvaluationSummary }) {
  const id = useId();
  const plot = useRef<HTMLDivElement>(null);
  const width = Math.max(LEAST_WIDTH, useElementWidth(plot) - PADDING);
  const right = width - LABELS;
  const types = summary.types.slice(0, MAX_LINES);
  const labels = placeLabels(types);
  return (
    <section className={classNames(panelStyles.panel, evaluationsPageStyles.wide)} aria-labelledby={id}>
      <header>
        <h2 id={id}>Mean score by type</h2>
        <span className={textStyles.grow} />
        <span className={evaluationsPageStyles.at}>↓ lower is better</span>
      </header>
      <div className={evaluationsPageStyles.plot} ref={plot}>
        <svg
          className={chartStyles.chart}
          width={width}
          height={HEIGHT}
          role="img"
          aria-label={inWords(types)}
        >
          {GRID.map((score) => (
            <g key={score}>
              <line
                className={score === 0 ? chartStyles.axis : chartStyles.grid}
                x1={LEFT}
                x2={right}
                y1={y(score)}
                y2={y(score)}
              />
              <text x={LEFT - 6} y={y(score) + 3} textAnchor="end">
                {score === 0 ? "0" : score === 1 ? "1" : formatScore(score)}
              </text>
            </g>
          ))}
          {timeLabels(summary, right).map(({ at, text }) => (
            <text key={at} x={at} y={HEIGHT - 5} textAnchor="middle">
              {text}
            </text>
          ))}
          {summary.deployments.map(({ time, service, version }) => {
            const at = xOfTime(summary, time, right);
            return (
              <g key={`${service} ${version}`}>
                <line className={chartStyles.cross} x1={at} x2={at} y1={0} y2={BOTTOM} />
                <text
                  className={classNames(chartStyles.label, chartStyles.deployed)}
                  x={at > width / 3 ? at - 6 : at + 6}
                  y={108}
                  textAnchor={at > width / 3 ? "end" : "start"}
                >
                  {service} {version} deployed
                </text>
              </g>
            );
          })}
          {types.map((type, index) => (
            <Line key={type.type} type={type} index={index} labelY={labels[index] ?? 0} right={right} />
          ))}
        </svg>
      </div>
    </section>
  );
}

interface LineProps {
  readonly type: TypeSummary;
  readonly index: number;
  readonly labelY: number;
  /** Right end of the plot. */
  readonly right: number;
}

function Line({ type, index, labelY, right }: LineProps) {
  const colour = `var(--series-${index + 1})`;
  const points = pointsOf(type, right);
  return (
    <g>
      <path
        className={chartStyles.line}
        d={points.map(({ x, y }, at) => `${at === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("")}
        style={{ stroke: colour }}
        strokeDasharray={DASHES[index]}
      />
      {points.map(
        ({ x, y, isAlone }) => isAlone && <circle key={x} cx={x} cy={y} r={2.5} style={{ fill: colour }} />,
      )}
      <text className={chartStyles.label} x={right + 8} y={labelY} style={{ fill: colour }}>
        {directedTypeText(type.type, type.direction)}{" "}
        {type.mean !== null && <tspan className={chartStyles.mean}>{formatScore(type.mean)}</tspan>}
      </text>
    </g>
  );
}

/** The points with a value; the line skips missing ones. */
function pointsOf({ series }: TypeSummary, right: number): { x: number; y: number; isAlone: boolean }[] {
  const found = series.flatMap((score, index) => (score === null ? [] : [{ score, index }]));
  return found.map(({ score, index }) => ({
    x: LEFT + ((index + 0.5) / series.length) * (right - LEFT),
    y: y(score),
    isAlone: found.length < 3,
  }));
}

function y(score: number): number {
  return BOTTOM - score * (BOTTOM - TOP);
}

/** Position of each name: at the end of its line, moved down until no two overlap. */
function placeLabels(types: readonly TypeSummary[]): number[] {
  const wanted = types.map(({ series, mean }, index) => ({
    index,
    at: y(series.findLast((score) => score !== null) ?? mean ?? 0) + 4,
  }));
  const places: number[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const { index, at } of wanted.toSorted((a, b) => a.at - b.at)) {
    last = Math.max(at, last + LABEL_GAP, 10);
    places[index] = last;
  }
  const over = Math.max(0, last - (HEIGHT - 12));
  return places.map((place) => place - over);
}

function xOfTime({ since, until }: EvaluationSummary, time: string, right: number): number {
  const from = Date.parse(since);
  return LEFT + ((Date.parse(time) - from) / (Date.parse(until) - from)) * (right - LEFT);
}

const HOUR_MS = 3_600_000;
const DAY_TEXT = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric" });
const TIME_TEXT = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

/** Round times in the local time zone. */
function timeLabels(summary: EvaluationSummary, right: number): { at: number; text: string }[] {
  const from = Date.parse(summary.since);
  const to = Date.parse(summary.until);
  const length = to - from;
  const stepMs = length <= 2 * HOUR_MS ? HOUR_MS / 6 : length <= 48 * HOUR_MS ? 4 * HOUR_MS : 24 * HOUR_MS;
  const offsetMs = new Date(to).getTimezoneOffset() * 60_000;
  const labels: { at: number; text: string }[] = [];
  for (let ms = Math.ceil((from - offsetMs) / stepMs) * stepMs + offsetMs; ms < to; ms += stepMs) {
    const at = xOfTime(summary, new Date(ms).toISOString(), right);
    if (at > LEFT + 12 && at < right - 12)
      labels.push({ at, text: (stepMs >= 24 * HOUR_MS ? DAY_TEXT : TIME_TEXT).format(ms) });
  }
  return labels;
}

function inWords(types: readonly TypeSummary[]): string {
  const means = types.map(({ type, mean }) => `${type} ${mean === null ? "unknown" : mean.toFixed(2)}`);
  return `Mean score by type: ${means.join(", ")}`;
}
