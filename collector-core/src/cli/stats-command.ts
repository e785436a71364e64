import type { Command } from "commander";
import { STATS_GROUPS, type Stats, type StatsFigures } from "../api-schema/stats.js";
import { durationText, markedCost } from "../share/trace-facts.js";
import { addCollectorOptions, collectorOf, type CollectorFlags } from "./collector-options.js";
import type { CommandContext } from "./command-context.js";
import { EXIT } from "./command-failure.js";
import { formatDuration } from "./durations.js";
import type { Colours } from "./output/colours.js";
import { countText, percentText, timeText } from "./output/figures.js";
import type { Output } from "./output/output.js";
import { safeLine } from "./output/safe-text.js";
import { tableText, type Column } from "./output/table.js";
import { truncate } from "./output/width.js";
import { wholeNumber } from "./query-argument.js";

const FILTERS = ["service", "env", "agent", "model", "provider", "tool", "span_type"] as const;
type Filters = Readonly<Partial<Record<(typeof FILTERS)[number], string>>>;
const NO_BAR = "▁";
/** Of the graphs. */
const NAME_WIDTH = 7;
const BARS = "▂▃▄▅▆▇█";

interface StatsFlags extends CollectorFlags {
  readonly window: string;
  readonly groupBy?: string;
  readonly groups: number;
}

/** A row of the table: a group, or all of them. */
interface Row {
  readonly name: string;
  readonly figures: StatsFigures;
}

/** `obspan stats`. */
export function configure(command: Command, context: CommandContext): void {
  addCollectorOptions(command)
    .option("--window <duration>", "how far back, up to 24h", "1h")
    .option("--group-by <label>", STATS_GROUPS.join(", "))
    .option("--groups <n>", "groups at most, the rest as one", wholeNumber(1, 50), 10);
  for (const name of FILTERS)
    command.option(
      `--${name.replace("_", "-")} <${name}>`,
      `only spans of this ${name === "env" ? "environment" : name.replace("_", " ")}`,
    );
  command.action(
    context.action(async (flags: StatsFlags & { readonly spanType?: string }) => {
      const { window, groupBy, groups, spanType, json } = flags;
      const filters = flags as Filters;
      const stats = await collectorOf(flags, context).get<Stats>("/v1/stats", "total", {
        ...Object.fromEntries(FILTERS.map((name) => [name, filters[name]])),
        span_type: spanType,
        window,
        group_by: groupBy,
        groups: groupBy === undefined ? undefined : groups,
      });
      if (json) context.output.printJson(stats);
      else if (stats.total.window.spans > 0) print(stats, context.output);
      if (stats.total.window.spans > 0) return EXIT.ok;
      context.output.note(
        `No span in the last ${formatDuration(stats.window_seconds).replace(/^1 /, "")}.\n`,
      );
      return EXIT.nothing;
    }),
  );
}

function print(stats: Stats, output: Output): void {
  const { colours } = output;
  const { window: total, series } = stats.total;
  const rows: Row[] = [
    ...stats.groups.map(({ value, window }) => ({
      name: value === "__other__" ? `${stats.merged_groups} others` : value || "(none)",
      figures: window,
    })),
    { name: "all", figures: total },
  ];
  const since = Date.parse(stats.kept_since) > Date.parse(stats.start) ? stats.kept_since : stats.start;
  output.print(
    `The last ${formatDuration(stats.window_seconds).replace(/^1 /, "")}, with statistics since ${timeText(since, new Date())}\n\n`,
  );
  output.print(tableText(columns(stats.group_by, colours), rows, output));
  const graphs: (readonly [string, readonly number[], string])[] = [
    ["calls", series.calls, countText(total.calls)],
    ["errors", series.call_errors, countText(total.call_errors)],
    ["cost", series.cost_usd, costOf(total)],
  ];
  const drawn = graphs.filter(([, values]) => values.some((value) => value > 0));
  if (drawn.length > 0) output.print("\n");
  const taken = NAME_WIDTH + 2 + drawn.reduce((most, [, , sum]) => Math.max(most, sum.length), 0);
  const width = output.columns === undefined ? stats.points : output.columns - taken;
  for (const [name, values, sum] of drawn)
    output.print(`${colours.dim(name.padEnd(NAME_WIDTH))} ${barsOf(merged(values, width))} ${sum}\n`);
  const errors = Object.entries(total.errors).toSorted(([, a], [, b]) => b - a);
  if (errors.length === 0) return;
  const text = safeLine(errors.map(([type, count]) => `${type} ${countText(count)}`).join(", "));
  const line = `\nErrors of spans: ${text}`;
  output.print(`${colours.red(output.columns === undefined ? line : truncate(line, output.columns))}\n`);
}

function columns(groupBy: string | null, colours: Colours): Column<Row>[] {
  const time = (ms: number | null): string => (ms === null ? "" : durationText(ms));
  const count = (number: number): string => (number === 0 ? "" : countText(number));
  // A narrow table of tools is about their calls: the figures of models go first.
  const isOfTools = groupBy === "tool" || groupBy === "tool_name";
  const ofTools = (rank: number): { readonly rank?: number } => (isOfTools ? {} : { rank });
  const ofModels = isOfTools ? { rank: 9 } : {};
  return [
    {
      title: (groupBy ?? "").toUpperCase(),
      text: ({ name }) => (groupBy === null ? "" : name),
      min: 20,
      colour: ({ name }) => (name === "all" ? undefined : colours.bold),
    },
    { title: "SPANS", text: ({ figures }) => count(figures.spans), align: "right", rank: 4 },
    { title: "CALLS", text: ({ figures }) => count(figures.calls), align: "right", ...ofModels },
    {
      title: "ERRORS",
      text: ({ figures }) =>
        figures.call_errors === 0 ? "" : percentText(figures.call_errors / Math.max(figures.calls, 1)),
      align: "right",
      ...ofModels,
      colour: () => colours.red,
    },
    { title: "TOOLS", text: ({ figures }) => count(figures.tool_calls), align: "right", ...ofTools(5) },
    {
      title: "TOOL ERRORS",
      text: ({ figures }) =>
        figures.tool_errors === 0 ? "" : percentText(figures.tool_errors / Math.max(figures.tool_calls, 1)),
      align: "right",
      // Goes before the column that it is a share of.
      ...ofTools(8),
      colour: () => colours.red,
    },
    { title: "P50", text: ({ figures }) => time(figures.duration_ms.p50), align: "right", rank: 1 },
    { title: "P95", text: ({ figures }) => time(figures.duration_ms.p95), align: "right" },
    { title: "TTFT", text: ({ figures }) => time(figures.ttft_ms.p50), align: "right", rank: 3 },
    {
      title: "TOKENS",
      text: ({ figures }) =>
        figures.tokens_input + figures.tokens_output === 0
          ? ""
          : `${countText(figures.tokens_input)} → ${countText(figures.tokens_output)}`,
      align: "right",
      rank: 2,
    },
    {
      title: "TOK/S",
      text: ({ figures }) => figures.tokens_per_second?.toFixed(1) ?? "",
      align: "right",
      rank: 6,
    },
    {
      title: "SCORE",
      text: ({ figures }) => figures.score_mean?.toFixed(2) ?? "",
      align: "right",
      rank: 7,
    },
    {
      title: "COST",
      text: ({ figures }) => costOf(figures),
      align: "right",
      ...ofModels,
    },
  ];
}

function costOf({ cost_usd: usd, computed_cost_usd: computed }: StatsFigures): string {
  return markedCost(usd, computed > 0);
}

/** Neighbouring points added up, so that at most `width` are left. */
function merged(values: readonly number[], width: number): number[] {
  const size = Math.ceil(values.length / Math.max(width, 1));
  const sums: number[] = [];
  for (let from = 0; from < values.length; from += size)
    sums.push(values.slice(from, from + size).reduce((sum, value) => sum + value, 0));
  return sums;
}

/** A column for each point, relative to the highest. */
function barsOf(values: readonly number[]): string {
  const highest = values.reduce((most, value) => Math.max(most, value), 0);
  return values
    .map((value) => (value === 0 ? NO_BAR : (BARS[Math.ceil((value / highest) * BARS.length) - 1] ?? "")))
    .join("");
}
