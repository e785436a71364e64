import type { Stats } from "@obspan/collector-core/api-schema";
import { useMemo, useState } from "react";
import { TimeChart } from "../../components/chart/time-chart.js";
import { formatTime } from "../../format.js";
import { knownFrom, timesOf } from "../metrics/panel-data.js";
import { seriesOf } from "./counters.js";
import { rateText } from "./pipeline-node.js";
import { classNames } from "../../components/class-names.js";
import panelStyles from "../../components/panel.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./through-chart.module.css";

/** Spans received, exported and lost per second, over the last five minutes. */
export function ThroughChart({ stats, isExporting }: { stats: Stats; isExporting: boolean }) {
  const [point, setPoint] = useState<number>();
  const times = useMemo(() => timesOf(stats), [stats]);
  const series = useMemo(() => linesOf(stats, isExporting), [stats, isExporting]);
  const describe = (at: number): string => {
    const seconds = times[at];
    const time = seconds === undefined ? "" : formatTime(new Date(seconds * 1000).toISOString());
    return `${time}: ${series.map(({ name, values }) => `${name} ${rateText(values[at] ?? 0)}/s`).join(", ")}`;
  };
  return (
    <section className={classNames(styles.through, panelStyles.panel)} aria-label="Spans each second">
      <header>
        <h2>Spans each second, last 5 minutes</h2>
        <span className={textStyles.grow} />
        {point !== undefined && <span className={panelStyles.at}>{describe(point)}</span>}
      </header>
      <div className={panelStyles.plot}>
        <TimeChart
          name="Spans each second"
          times={times}
          series={series}
          formatShort={rateText}
          point={point}
          onPoint={setPoint}
          describe={describe}
        />
      </div>
    </section>
  );
}

function linesOf(stats: Stats, isExporting: boolean) {
  const step = stats.step_seconds;
  const passed = (Date.parse(stats.end) - Date.parse(stats.start)) / 1000 - (stats.points - 1) * step;
  const known = knownFrom(stats);
  const perSecond = (counts: readonly number[]) =>
    counts.map((count, index) => {
      if (index < known) return null;
      if (index < counts.length - 1) return count / step;
      return passed < step / 3 ? null : count / passed;
    });
  const lostInExport = seriesOf(stats, "obs_export_spans_total", ({ outcome }) => outcome !== "exported");
  const dropped = seriesOf(stats, "obs_spans_dropped_total");
  const lost = seriesOf(stats, "obs_spans_rejected_total").map(
    (count, index) => count + (dropped[index] ?? 0) + (lostInExport[index] ?? 0),
  );
  const onward = isExporting
    ? {
        name: "exported",
        values: seriesOf(stats, "obs_export_spans_total", ({ outcome }) => outcome === "exported"),
      }
    : { name: "processed", values: seriesOf(stats, "obs_spans_processed_total") };
  return [
    {
      name: "received",
      colour: 0,
      values: perSecond(seriesOf(stats, "obs_spans_received_total")),
      isFilled: true,
    },
    { name: onward.name, colour: 1, values: perSecond(onward.values), dash: [4, 3] },
    { name: "lost", colour: 3, values: perSecond(lost) },
  ];
}
