import { panelQueries } from "@obspan/collector-core/analysis";
import type { Stats } from "@obspan/collector-core/api-schema";
import { useMemo, useState, type ReactNode } from "react";
import { Segmented } from "../../components/segmented.js";
import { useStats } from "../../app-context.js";
import { durationText, formatCost, formatDuration, formatWhole } from "../../format.js";
import type { StatsPanels } from "../../store/stats-store.js";
import { Computed, costText } from "../trace/cost.js";
import { ChartPanel, type ChartPanelProps } from "./chart-panel.js";
import { ObjectivesPanel } from "./objectives-panel.js";
import {
  byGroup,
  errorRates,
  knownSeconds,
  perMinute,
  sumOf,
  timesOf,
  type PanelGroup,
} from "./panel-data.js";
import { compact, percent, shortCost, shortDuration, shortPercent } from "./panel-text.js";
import { shareText, ToolsPanel } from "./tools-panel.js";
import { useCrosshair } from "./use-crosshair.js";
import { classNames } from "../../components/class-names.js";
import badgeStyles from "../../components/badge.module.css";
import panelStyles from "../../components/panel.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./panels.module.css";

interface PanelsProps {
  readonly panels: StatsPanels;
  readonly groups: readonly PanelGroup[];
  /** The data belongs to an earlier view; the new data is loading. */
  readonly isStale: boolean;
}

export function Panels({ panels, groups, isStale }: PanelsProps) {
  const { grouped, calls, tools, agents, view } = panels;
  const config = useStats((state) => state.config);
  const times = useMemo(() => timesOf(grouped), [grouped]);
  const lines = useMemo(() => linesOf(panels, groups), [panels, groups]);
  const crosshair = useCrosshair(view, times, grouped.step_seconds);
  const promql = panelQueries(view, grouped.step_seconds);
  const common = { times, stepSeconds: grouped.step_seconds, crosshair };
  const { window } = grouped.total;
  const isTool = view.groupBy === "tool_name";
  const [wantsSplit, setSplit] = useState(false);
  // One line says no more than the percentiles of all calls.
  const canSplit = lines.latencyByGroup.length > 1;
  const isSplit = canSplit && wantsSplit;

  return (
    <div className={isStale ? classNames(styles.panels, styles.stale) : styles.panels}>
      <ChartPanel
        {...common}
        title={isTool ? "Tool calls by tool" : "Calls"}
        figure={<CallsFigure stats={grouped} count={isTool ? window.tool_calls : window.calls} />}
        series={lines.calls}
        isStacked
        format={compact}
        nothing={isTool ? "No tool was called." : "No model was called."}
        promql={promql.calls}
      />
      <ChartPanel
        {...common}
        title="Errors"
        figure={<ErrorsFigure panels={panels} />}
        series={lines.errors}
        format={percent}
        formatShort={shortPercent}
        minMax={1}
        nothing="No error in this time range."
        promql={promql.errors}
      />
      <ChartPanel
        {...common}
        title="Latency"
        figure={
          <>
            <DurationFigure ms={calls.total.window.duration_ms.p50} />
            <span className={textStyles.grow} />
            {canSplit && (
              <Segmented
                label="Lines of the latency"
                choices={[
                  { value: "all", content: "All calls" },
                  { value: "group", content: `p95 by ${view.groupBy}` },
                ]}
                chosen={isSplit ? "group" : "all"}
                onChoose={(chosen) => setSplit(chosen === "group")}
                isSmall
              />
            )}
          </>
        }
        series={isSplit ? lines.latencyByGroup : lines.latency}
        format={durationText}
        formatShort={shortDuration}
        nothing="No model call has a duration."
        promql={isSplit ? promql.latencyByGroup : promql.latency}
      />
      <ChartPanel
        {...common}
        title="Time to first token"
        figure={<DurationFigure ms={window.ttft_ms.p50} />}
        series={lines.ttft}
        format={durationText}
        formatShort={shortDuration}
        nothing="No call has a time to first token (ttft_ms)."
        promql={promql.ttft}
      />
      <ChartPanel
        {...common}
        title="Tokens"
        figure={<TokensFigure stats={grouped} />}
        series={lines.tokens}
        format={compact}
        nothing="No call has token counts."
        promql={promql.tokens}
      />
      <ChartPanel
        {...common}
        title="Output speed"
        figure={
          <BigFigure
            value={window.tokens_per_second === null ? "–" : compact(window.tokens_per_second)}
            unit="tokens/s"
          />
        }
        series={lines.speed}
        format={compact}
        nothing="No call has output tokens and a duration."
        promql={promql.speed}
      />
      <ChartPanel
        {...common}
        title="Cost"
        figure={<CostFigure stats={grouped} />}
        series={lines.cost}
        isStacked
        format={costFormat(grouped, groups)}
        formatShort={shortCost}
        nothing="No call has a cost (cost_usd)."
        promql={promql.cost}
      />
      <ToolsPanel
        tools={tools}
        windowName={`last ${view.window.replace(/(\d+)/, "$1 ")}`}
        promql={promql.tools}
      />
      <ObjectivesPanel agents={agents} config={config} promql={promql.objectives} />
    </div>
  );
}

function linesOf({ grouped, calls, view }: StatsPanels, groups: readonly PanelGroup[]) {
  const isTool = view.groupBy === "tool_name";
  const { series } = grouped.total;
  const { duration_ms: latency } = calls.total.series;
  return {
    calls: byGroup(groups, (of) => perMinute(grouped, isTool ? of.tool_calls : of.calls)),
    errors: errorRates(grouped),
    latency: [
      { name: "p50", colour: 0, values: latency.p50, isFilled: true },
      { name: "p95", colour: 1, values: latency.p95, dash: [4, 3] },
      { name: "p99", colour: 3, values: latency.p99, dash: [1.5, 2.5] },
    ],
    latencyByGroup: byGroup(
      withAny(isTool ? [] : ofCalls(groups, calls), (of) => of.duration_ms.p95),
      (of) => of.duration_ms.p95,
    ),
    ttft: byGroup(
      withAny(groups, (of) => of.ttft_ms.p50),
      (of) => of.ttft_ms.p50,
    ),
    tokens: tokenLines(grouped, series),
    speed: byGroup(
      withAny(groups, (of) => of.tokens_per_second),
      (of) => of.tokens_per_second,
    ),
    cost: byGroup(
      groups.filter(({ window }) => window.cost_usd > 0),
      (of) => perMinute(grouped, of.cost_usd),
    ),
  };
}

/** The same groups in their colours, of model calls only. */
function ofCalls(groups: readonly PanelGroup[], calls: Stats): PanelGroup[] {
  const known = new Map(calls.groups.map((group) => [group.value, group]));
  return groups.flatMap((group) => {
    const own = known.get(group.value);
    return own === undefined ? [] : [{ ...group, series: own.series, window: own.window }];
  });
}

function withAny(
  groups: readonly PanelGroup[],
  valuesOf: (series: PanelGroup["series"]) => readonly (number | null)[],
): PanelGroup[] {
  return groups.filter(({ series }) => valuesOf(series).some((value) => value !== null));
}

function tokenLines(stats: Stats, series: Stats["total"]["series"]) {
  const { tokens_input, tokens_output, tokens_cached } = stats.total.window;
  if (tokens_input + tokens_output === 0) return [];
  return [
    { name: "in", colour: 0, values: perMinute(stats, series.tokens_input), isFilled: true },
    ...(tokens_cached > 0
      ? [{ name: "cached", colour: 6, dash: [4, 3], values: perMinute(stats, series.tokens_cached) }]
      : []),
    { name: "out", colour: 1, values: perMinute(stats, series.tokens_output) },
  ];
}

/** The figure of a panel. */
function BigFigure({ value, unit }: { readonly value: ReactNode; readonly unit?: string }) {
  return (
    <b className={panelStyles.figure}>
      {value}
      {unit !== undefined && <small>{unit}</small>}
    </b>
  );
}

function CallsFigure({ stats, count }: { stats: Stats; count: number }) {
  return (
    <>
      <BigFigure value={compact((count / knownSeconds(stats)) * 60)} unit="/min" />
      <span className={textStyles.dim}>{formatWhole(count)} in all</span>
    </>
  );
}

function ErrorsFigure({ panels: { grouped, calls } }: { panels: StatsPanels }) {
  const slo = useStats(({ config }) =>
    config?.["sre.enabled"]?.value === true ? config["sre.default_slo_error_rate"]?.value : undefined,
  );
  const { spans, errors } = grouped.total.window;
  const failed =
    calls.total.window.calls === 0 ? 0 : calls.total.window.call_errors / calls.total.window.calls;
  return (
    <>
      <BigFigure value={spans === 0 ? "–" : ((sumOf(errors) / spans) * 100).toFixed(1)} unit="% of spans" />
      {typeof slo === "number" && failed > slo ? (
        <span className={badgeStyles.error}>
          {shareText(failed)} of calls, over the SLO of {shareText(slo)}
        </span>
      ) : (
        <span className={textStyles.dim}>{shareText(failed)} of model calls</span>
      )}
    </>
  );
}

function DurationFigure({ ms }: { ms: number | null }) {
  if (ms === null) return <BigFigure value="–" />;
  const { value, unit } = formatDuration(ms);
  return <BigFigure value={value} unit={`${unit} p50`} />;
}

function TokensFigure({ stats }: { stats: Stats }) {
  const { tokens_input, tokens_output, tokens_cached } = stats.total.window;
  const minutes = knownSeconds(stats) / 60;
  const cached = tokens_input === 0 ? 0 : Math.round((tokens_cached / tokens_input) * 100);
  return (
    <>
      <BigFigure value={compact(tokens_input / minutes)} unit="in /min" />
      <span className={textStyles.dim}>
        {compact(tokens_output / minutes)} out{cached > 0 && ` · ${cached} % cached`}
      </span>
    </>
  );
}

const DAY_SECONDS = 86_400;
/** A shorter time tells nothing about a day: one run of a minute ago would count as 1,440 runs. */
const LEAST_RATE_SECONDS = 600;

function CostFigure({ stats }: { stats: Stats }) {
  const { cost_usd } = stats.total.window;
  const seconds = knownSeconds(stats);
  const aDay = (cost_usd / seconds) * DAY_SECONDS;
  const marked = (usd: number): ReactNode =>
    hasComputedCost(stats) ? <Computed>{formatCost(usd)}</Computed> : formatCost(usd);
  return (
    <>
      <BigFigure value={marked(cost_usd)} />
      {cost_usd > 0 && seconds >= LEAST_RATE_SECONDS && (
        <span className={textStyles.dim}>{marked(aDay)} a day at this rate</span>
      )}
    </>
  );
}

/** Whether the collector computed some of the cost. */
function hasComputedCost({ total }: Stats): boolean {
  return total.window.computed_cost_usd > 0;
}

/** Marks the costs of a group of which the collector computed some, and the sum. */
function costFormat(stats: Stats, groups: readonly PanelGroup[]): ChartPanelProps["format"] {
  const isSumComputed = hasComputedCost(stats);
  const computed = new Set(
    groups.flatMap(({ name, window }) => (window.computed_cost_usd > 0 ? [name] : [])),
  );
  return (usd, of) =>
    costText({ usd, isComputed: usd > 0 && (of === undefined ? isSumComputed : computed.has(of.name)) });
}
