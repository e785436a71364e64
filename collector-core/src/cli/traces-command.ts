import { InvalidArgumentError, Option, type Command } from "commander";
import type { TraceGroup, TraceGroups } from "../api-schema/groups.js";
import type { TraceList, TraceSummary } from "../api-schema/trace.js";
import { costOfSum, durationText } from "../share/trace-facts.js";
import type { CollectorClient } from "./collector-client.js";
import { addCollectorOptions, collectorOf, type CollectorFlags } from "./collector-options.js";
import type { CommandContext } from "./command-context.js";
import { CommandFailure, EXIT } from "./command-failure.js";
import type { Output } from "./output/output.js";
import { countText, percentText, timeText } from "./output/figures.js";
import { tableText } from "./output/table.js";
import { NO_TRACE } from "./find-trace.js";
import { printList } from "./print-list.js";
import { addQueryArgument, queryOf, wholeNumber } from "./query-argument.js";
import { listed, traceColumns } from "./trace-columns.js";

const ORDERS = ["newest", "start", "slowest", "costliest"];
const GROUP_ORDERS = ["runs", "errors", "p50", "p95", "ttft", "tokens", "cost", "cost_per_run", "value"];
const MAX_TRACES = 100_000;

interface TracesFlags extends CollectorFlags {
  readonly sort?: string;
  readonly limit: number;
  readonly groupBy?: string;
}

/** `obspan traces [query]`. */
export function configure(command: Command, context: CommandContext): void {
  addCollectorOptions(addQueryArgument(command))
    .addOption(
      new Option(
        "--sort <order>",
        `${ORDERS.join(", ")}; with --group-by: ${GROUP_ORDERS.join(", ")}`,
      ).argParser(sortArgument),
    )
    .option("--limit <n>", "traces or groups at most", wholeNumber(1, MAX_TRACES), 20)
    .option("--group-by <key>", "figures for each agent, model, prompt, @attribute, …")
    .action(
      context.action(async (words: string[], flags: TracesFlags) => {
        const client = collectorOf(flags, context);
        const query = queryOf(words);
        return flags.groupBy === undefined
          ? await listTraces(client, query, flags, context.output)
          : await groupTraces(client, query, flags, context.output);
      }),
    );
}

function sortArgument(text: string): string {
  if (!ORDERS.includes(text) && !GROUP_ORDERS.includes(text))
    throw new InvalidArgumentError(`Allowed are ${[...ORDERS, ...GROUP_ORDERS].join(", ")}.`);
  return text;
}

async function listTraces(
  client: CollectorClient,
  query: string | undefined,
  flags: TracesFlags,
  output: Output,
): Promise<number> {
  const { sort = "newest" } = flags;
  requireOrder(sort, ORDERS, "without --group-by");
  const now = new Date();
  return await printList<TraceSummary>({
    flags,
    output,
    nothing: nothingText(query),
    columns: (traces) => traceColumns(traces, output.colours, (start) => timeText(start, now)),
    read: async (page) => {
      const list = await client.get<TraceList>("/v1/traces", "traces", { query, order: sort, ...page });
      return { items: list.traces, next: list.next_cursor };
    },
  });
}

async function groupTraces(
  client: CollectorClient,
  query: string | undefined,
  { sort = "runs", limit, groupBy, json }: TracesFlags,
  output: Output,
): Promise<number> {
  requireOrder(sort, GROUP_ORDERS, "with --group-by");
  const { groups, other, unread } = await client.get<TraceGroups>("/v1/groups", "groups", {
    query,
    by: groupBy,
    order: sort,
  });
  const shown = groups.slice(0, limit);
  if (shown.length === 0) {
    output.note(`${nothingText(query)}\n`);
    return EXIT.nothing;
  }
  if (json) {
    for (const group of shown) output.printJson(group);
    return EXIT.ok;
  }
  const { colours } = output;
  output.print(
    tableText<TraceGroup>(
      [
        {
          title: (groupBy ?? "").toUpperCase(),
          text: ({ value }) => value ?? "(none)",
          min: 12,
          colour: () => colours.bold,
        },
        { title: "RUNS", text: ({ runs }) => runs.toLocaleString("en-US"), align: "right" },
        {
          title: "ERRORS",
          text: ({ error_ratio: ratio }) => percentText(ratio),
          align: "right",
          colour: ({ error_ratio: ratio }) => (ratio > 0 ? colours.red : undefined),
        },
        { title: "P50", text: ({ p50_ms: ms }) => durationText(ms), align: "right", rank: 1 },
        { title: "P95", text: ({ p95_ms: ms }) => durationText(ms), align: "right" },
        {
          title: "TTFT",
          text: ({ ttft_p50_ms: ms }) => (ms === null ? "" : durationText(ms)),
          align: "right",
          rank: 3,
        },
        {
          title: "TOKENS",
          text: (group) => countText(group.tokens_input + group.tokens_output),
          align: "right",
          rank: 2,
        },
        { title: "COST", text: (group) => costOfSum(group) ?? "", align: "right" },
        {
          title: "PER RUN",
          text: ({ cost_per_run_usd: usd, cost_source: source }) =>
            costOfSum({ cost_usd: usd, cost_source: source }) ?? "",
          align: "right",
          rank: 1,
        },
        {
          title: "SCORES",
          text: ({ scores }) => listed(scores.map(({ type, mean }) => `${type} ${mean.toFixed(2)}`)),
          min: 10,
          rank: 4,
        },
      ],
      shown,
      output,
    ),
  );
  const more = groups.length - shown.length + (other?.groups ?? 0);
  if (more > 0) output.note(`${more.toLocaleString("en-US")} more groups are not shown.\n`);
  if (unread > 0) output.note(`${unread.toLocaleString("en-US")} traces are too large to be grouped.\n`);
  return EXIT.ok;
}

function requireOrder(sort: string, allowed: readonly string[], where: string): void {
  if (allowed.includes(sort)) return;
  throw new CommandFailure(`--sort ${sort} cannot be used ${where}: allowed are ${allowed.join(", ")}.`, {
    exitCode: EXIT.usage,
  });
}

function nothingText(query: string | undefined): string {
  return query === undefined ? NO_TRACE : "No trace matches.";
}
