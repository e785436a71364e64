import { ChartLine, Table2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { ChartSeries } from "../../components/chart/chart-data.js";
import { TimeChart } from "../../components/chart/time-chart.js";
import { formatTime } from "../../format.js";
import { PromqlFooter } from "./promql-footer.js";
import type { Crosshair } from "./use-crosshair.js";
import { classNames } from "../../components/class-names.js";
import { ICON_BUTTON } from "../../components/icon-button-class.js";
import iconStyles from "../../components/icon.module.css";
import panelStyles from "../../components/panel.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./chart-panel.module.css";
import panelTablesStyles from "./panel-tables.module.css";
import { seriesColour } from "../../components/chart/chart-data.js";

export interface ChartPanelProps {
  readonly title: string;
  /** The value for the whole time range. */
  readonly figure: ReactNode;
  readonly times: readonly number[];
  readonly stepSeconds: number;
  readonly series: readonly ChartSeries[];
  readonly isStacked?: boolean;
  /** The text of a value of one of the series; without it, of a sum or of the largest of all. */
  readonly format: (value: number, of?: ChartSeries) => string;
  /** The same in few characters, for the axis. Default: `format`. */
  readonly formatShort?: (value: number) => string;
  /** Text shown if there is nothing to draw. */
  readonly nothing: string;
  readonly promql: string;
  readonly crosshair: Crosshair;
  readonly minMax?: number;
}

/** A panel with the value of the time range, a chart or table, and the PromQL query. */
export function ChartPanel(props: ChartPanelProps) {
  const { title, figure, times, series, format, nothing, promql, crosshair } = props;
  const [isTable, setTable] = useState(false);
  const { point } = crosshair;
  const isHere = crosshair.panel === title;
  const hasValues = series.some(({ values }) => values.some((value) => value !== null));
  const rows = (at: number) =>
    series.flatMap((each) => {
      const { name, values, colour } = each;
      const value = values[at];
      return value == null ? [] : [{ name, colour, value: format(value, each) }];
    });
  const describe = (at: number): string => {
    const words = rows(at).map(({ name, value }) => `${name} ${value}`);
    return `${timeAt(times, at)}: ${words.length === 0 ? "nothing" : words.join(", ")}`;
  };

  return (
    <section className={panelStyles.panel} aria-label={title}>
      <header>
        <h2>{title}</h2>
        <span className={textStyles.grow} />
        {point !== undefined && hasValues && (
          <span className={panelStyles.at} data-testid="marked-point">
            at {timeAt(times, point)} <b>{pointFigure(props, point)}</b>
          </span>
        )}
      </header>
      <div className={panelStyles.big}>{figure}</div>
      <div className={panelStyles.plot}>
        {!hasValues ? (
          <p className={panelStyles.nothing}>{nothing}</p>
        ) : isTable ? (
          <PanelTable title={title} times={times} series={series} format={format} />
        ) : (
          <TimeChart
            name={title}
            times={times}
            series={series}
            isStacked={props.isStacked ?? false}
            formatShort={props.formatShort ?? format}
            minMax={props.minMax ?? 0}
            point={point}
            onPoint={(next) => crosshair.move(title, next)}
            onChoose={crosshair.choose}
            describe={describe}
          />
        )}
        {isHere && point !== undefined && hasValues && !isTable && (
          <Tip time={timeAt(times, point)} rows={rows(point)} isRight={point < times.length / 2} />
        )}
      </div>
      <PromqlFooter promql={promql} title={title}>
        <button
          type="button"
          className={ICON_BUTTON}
          aria-pressed={isTable}
          aria-label={`${title}: ${isTable ? "show as chart" : "show as table"}`}
          data-tip={isTable ? "Show as chart" : "Show as table"}
          onClick={() => setTable(!isTable)}
        >
          {isTable ? (
            <ChartLine className={iconStyles.tiny} aria-hidden />
          ) : (
            <Table2 className={iconStyles.tiny} aria-hidden />
          )}
        </button>
      </PromqlFooter>
    </section>
  );
}

/** One value for the point: the sum of stacked lines, otherwise the maximum. */
function pointFigure({ series, isStacked = false, format }: ChartPanelProps, point: number): string {
  const values = series.flatMap(({ values: all }) => all[point] ?? []);
  if (values.length === 0) return "–";
  return format(isStacked ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values));
}

interface TipProps {
  readonly time: string;
  readonly rows: readonly { name: string; colour: number; value: string }[];
  readonly isRight: boolean;
}

function Tip({ time, rows, isRight }: TipProps) {
  return (
    <div className={isRight ? classNames(styles.tip, styles.right) : styles.tip} aria-hidden>
      <div className={styles.tipHead}>
        <b>{time}</b>
        <span>click: traces</span>
      </div>
      {rows.toReversed().map(({ name, colour, value }) => (
        <div className={styles.tipRow} key={name}>
          <i style={{ background: seriesColour(colour) }} />
          <span className={textStyles.cut}>{name}</span>
          <b className={textStyles.number}>{value}</b>
        </div>
      ))}
    </div>
  );
}

type PanelTableProps = Pick<ChartPanelProps, "title" | "times" | "series" | "format">;

/** The chart as a table, newest first. */
function PanelTable({ title, times, series, format }: PanelTableProps) {
  return (
    <div
      className={panelTablesStyles.panelTable}
      tabIndex={0}
      role="region"
      aria-label={`${title} as a table`}
    >
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times
            .map((_, index) => times.length - 1 - index)
            .map((index) => (
              <tr key={index}>
                <th scope="row">{timeAt(times, index)}</th>
                {series.map((each) => {
                  const value = each.values[index];
                  return <td key={each.name}>{value == null ? "–" : format(value, each)}</td>;
                })}
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}

function timeAt(times: readonly number[], point: number): string {
  const seconds = times[point];
  if (seconds === undefined) return "–";
  const text = formatTime(new Date(seconds * 1000).toISOString());
  return text.endsWith(":00") ? text.slice(0, -3) : text;
}
