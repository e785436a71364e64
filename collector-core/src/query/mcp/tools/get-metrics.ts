import { Type } from "typebox";
import { panelQueries } from "../../../analysis/panel-queries.js";
import type { Stats, StatsFigures, StatsQuery } from "../../../api-schema/stats.js";
import { toStatsRequest, type StatsRequest } from "../../stats-route.js";
import type { Answer, Cell, Section } from "../answer/answer.js";
import { counted } from "../../../runtime/counted.js";
import { asCost, asCount, asDuration, asShare, costCell } from "../formats.js";
import { defineTool, type Tool } from "../tool.js";
import { tenantOf } from "./search-traces.js";

const GROUPS = ["model", "agent", "service", "provider", "tool_name", "env", "span_type"] as const;
const PANELS = ["calls", "errors", "latency", "ttft", "tokens", "speed", "cost"] as const;
/** Points over time that are shown. */
const POINTS = 12;

/** The figures of the last minutes or hours. */
export function getMetrics(read: (request: StatsRequest, signal: AbortSignal) => Promise<Stats>): Tool {
  return defineTool({
    name: "get_metrics",
    title: "Read metrics",
    description:
      "Figures of the last minutes or hours over all spans, also those whose traces were not sampled: calls, error rate, latency and time to first " +
      "token percentiles, tokens, tokens a second, cost; in total, by group, and over time; with the PromQL of each panel. Use it " +
      "to see whether something changed and when, then search_traces with start:>… for runs of that time.",
    arguments: {
      window: Type.Optional(
        Type.String({ maxLength: 20, description: "Such as 15m, 1h (default) or 24h; at most 24h." }),
      ),
      group_by: Type.Optional(Type.Enum([...GROUPS], { description: "Default: model." })),
      service: Type.Optional(Type.String({ maxLength: 200 })),
      agent: Type.Optional(Type.String({ maxLength: 200 })),
      model: Type.Optional(Type.String({ maxLength: 200 })),
      promql: Type.Optional(Type.Boolean({ description: "false leaves out the PromQL. Default: true." })),
    },
    async run({ group_by: by = "model", promql = true, window = "1h", ...rest }, { signal }) {
      const { service, agent, model } = rest;
      const labels = {
        ...(service !== undefined && { service }),
        ...(agent !== undefined && { agent }),
        ...(model !== undefined && { model }),
      };
      const query: StatsQuery = { window, group_by: by, groups: 20, ...labels, ...tenantOf(rest) };
      const request = toStatsRequest(query);
      const stats = await read(request, signal);
      const queries = promql
        ? panelQueries({ window, groupBy: by, filters: labels }, request.stepSeconds)
        : undefined;
      return metricsAnswer(stats, by, queries);
    },
  });
}

function metricsAnswer(
  stats: Stats,
  by: string,
  queries: ReturnType<typeof panelQueries> | undefined,
): Answer {
  const { window } = stats.total;
  const errors = Object.entries(window.errors).map(([type, count]) => `${type} ${count}`);
  const minutes = Math.round(stats.window_seconds / 60);
  return {
    lead:
      `The last ${counted(minutes, "minute")}: ${counted(window.calls, "model call")}, ${counted(window.tool_calls, "tool call")}, ` +
      `${counted(window.spans, "span")}. Times are UTC. Statistics are kept since ${stats.kept_since}.`,
    sections: [
      figuresTable(stats, by),
      ...(errors.length === 0
        ? []
        : [
            {
              kind: "facts" as const,
              title: "Errors by category",
              facts: [{ name: "Errors", value: errors.join(", ") }],
            },
          ]),
      overTime(stats),
      ...(queries === undefined
        ? []
        : [
            {
              kind: "table" as const,
              title: "PromQL",
              columns: [{ name: "panel" }, { name: "query", length: 400 }],
              rows: PANELS.map((panel) => [panel, queries[panel]]),
            },
          ]),
    ],
    notes: [
      ...(stats.merged_groups === 0
        ? []
        : [
            `${counted(stats.merged_groups, "smaller group")} are in __other__: filter by service, agent or model.`,
          ]),
      "Runs behind a figure: search_traces with the same key, such as model:… and start:>-1h.",
    ],
  };
}

const FIGURES = [
  { name: "calls", format: asCount, of: ({ calls }: StatsFigures) => calls },
  {
    name: "failed",
    format: asShare,
    of: ({ calls, call_errors: failed }: StatsFigures) => (calls === 0 ? null : failed / calls),
  },
  { name: "tool calls", format: asCount, of: ({ tool_calls: calls }: StatsFigures) => calls },
  {
    name: "tools failed",
    format: asShare,
    of: ({ tool_calls: calls, tool_errors: failed }: StatsFigures) => (calls === 0 ? null : failed / calls),
  },
  { name: "p50", format: asDuration, of: ({ duration_ms: { p50 } }: StatsFigures) => p50 },
  { name: "p95", format: asDuration, of: ({ duration_ms: { p95 } }: StatsFigures) => p95 },
  { name: "p99", format: asDuration, of: ({ duration_ms: { p99 } }: StatsFigures) => p99 },
  { name: "ttft p50", format: asDuration, of: ({ ttft_ms: { p50 } }: StatsFigures) => p50 },
  { name: "tokens in", format: asCount, of: ({ tokens_input: tokens }: StatsFigures) => tokens },
  { name: "tokens out", format: asCount, of: ({ tokens_output: tokens }: StatsFigures) => tokens },
  {
    name: "tokens a second",
    format: (value: number) => value.toFixed(0),
    of: ({ tokens_per_second: speed }: StatsFigures) => speed,
  },
  {
    name: "cost",
    format: asCost,
    of: ({ cost_usd: cost, computed_cost_usd: computed }: StatsFigures) => costCell(cost, computed > 0),
  },
  {
    name: "mean score",
    format: (value: number) => value.toFixed(2),
    of: ({ score_mean: mean }: StatsFigures) => mean,
  },
];

function figuresTable({ total, groups }: Stats, by: string): Section {
  const rows: Cell[][] = [
    ["(all)", ...FIGURES.map(({ of }) => of(total.window))],
    ...groups.map(({ value, window }) => [
      value === "" ? "(none)" : value,
      ...FIGURES.map(({ of }) => of(window)),
    ]),
  ];
  return {
    kind: "table",
    title: `Figures by ${by}`,
    columns: [{ name: by, length: 80 }, ...FIGURES.map(({ name, format }) => ({ name, format }))],
    rows,
    rest: () => "filter by service, agent or model, or use a larger max_tokens",
  };
}

/** The newest points, several of a series together if there are many. */
function overTime({ total, start, step_seconds: step, points }: Stats): Section {
  const per = Math.ceil(points / POINTS);
  const sum = (values: readonly number[], from: number): number =>
    values.slice(from, from + per).reduce((all, value) => all + value, 0);
  const startMs = Date.parse(start);
  const { series } = total;
  const rows = Array.from({ length: Math.ceil(points / per) }, (_, index): Cell[] => {
    const from = index * per;
    return [
      shortClock(startMs + from * step * 1000),
      sum(series.calls, from),
      sum(series.call_errors, from),
      sum(series.tool_calls, from),
      sum(series.tool_errors, from),
      sum(series.tokens_input, from) + sum(series.tokens_output, from),
      costCell(sum(series.cost_usd, from), sum(series.computed_cost_usd, from) > 0),
    ];
  });
  return {
    kind: "table",
    // Times without any call are left out.
    title: `Over time, ${asDuration(per * step * 1000)} a line`,
    columns: [
      { name: "from" },
      { name: "calls" },
      { name: "failed", format: asCount },
      { name: "tool calls", format: asCount },
      { name: "tools failed", format: asCount },
      { name: "tokens", format: asCount },
      { name: "cost", format: asCost },
    ],
    rows: rows.filter(([, ...figures]) => figures.some((figure) => figure !== 0)),
  };
}

function shortClock(ms: number): string {
  return Number.isNaN(ms) ? "" : new Date(ms).toISOString().slice(11, 19);
}
