import { setTimeout as wait } from "node:timers/promises";
import type { Command } from "commander";
import { formatQueryTerm } from "../../api-schema/query/format-query.js";
import type { TraceList, TraceSummary } from "../../api-schema/trace.js";
import type { CollectorClient } from "../collector-client.js";
import { addCollectorOptions, collectorOf, type CollectorFlags } from "../collector-options.js";
import type { CommandContext } from "../command-context.js";
import { CommandFailure, EXIT } from "../command-failure.js";
import { shortTimeText } from "../output/figures.js";
import type { Output } from "../output/output.js";
import { growingTable } from "../output/table.js";
import { addQueryArgument, queryOf, wholeNumber } from "../query-argument.js";
import { traceColumns } from "../trace-columns.js";
import { readEvents } from "./read-events.js";
import { TailState } from "./tail-state.js";

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** Ids that fit into one query. */
const IDS_PER_QUERY = 10;

interface TailFlags extends CollectorFlags {
  readonly last: number;
  readonly limit?: number;
}

/** `obspan tail [query]`. */
export function configure(command: Command, context: CommandContext): void {
  addCollectorOptions(addQueryArgument(command))
    .option("--last <n>", "begin with the last traces", wholeNumber(0, 1000), 0)
    .option("--limit <n>", "end after so many lines", wholeNumber(1, 1_000_000))
    .action(
      context.action(async (words: string[], flags: TailFlags) => {
        await tail(collectorOf(flags, context), queryOf(words), flags, context.output);
        return EXIT.ok;
      }),
    );
}

async function tail(
  client: CollectorClient,
  query: string | undefined,
  { last, limit = Number.POSITIVE_INFINITY, json }: TailFlags,
  output: Output,
): Promise<void> {
  // Answers a query that cannot be read, and a collector that is away, before anything is followed.
  const { traces } = await client.get<TraceList>("/v1/traces", "traces", { query, limit: Math.max(last, 1) });
  const show = json ? (trace: TraceSummary): void => output.printJson(trace) : lines(traces, output);
  let left = limit;
  for (const trace of traces.slice(0, last).toReversed()) if (left-- > 0) show(trace);
  for await (const changed of followedTraces(client, query, output)) {
    for (const trace of changed) if (left-- > 0) show(trace);
    if (left <= 0) return;
  }
}

/**
 * Prints a line for each trace, with titles before the first.
 *
 * @param known - some traces: they tell whether there are tenants.
 */
function lines(known: readonly TraceSummary[], output: Output): (trace: TraceSummary) => void {
  const hasTenants = known.some(({ tenant }) => tenant !== "");
  const columns = traceColumns([], output.colours, (start) => shortTimeText(start, new Date()));
  const table = growingTable(
    // A trace gets its scores after its line.
    columns.filter(({ title }) => title !== "SCORES" && (title !== "TENANT" || hasTenants)),
    output,
  );
  output.print(table.titles);
  return (trace) => output.print(table.row(trace));
}

/** The traces that start and end, for as long as the process runs. It connects again to a collector that goes away. */
async function* followedTraces(
  client: CollectorClient,
  query: string | undefined,
  output: Output,
): AsyncGenerator<readonly TraceSummary[]> {
  const state = new TailState();
  let lastEventId: string | undefined;
  let isBack = true;
  for (let pauseMs = FIRST_PAUSE_MS; ;) {
    const connection = new AbortController();
    try {
      const response = await client.events("/v1/live", { lastEventId, signal: connection.signal });
      if (!isBack) output.note("Connected again.\n");
      isBack = true;
      pauseMs = FIRST_PAUSE_MS;
      for await (const { event, id } of readEvents(response)) {
        lastEventId = id ?? lastEventId;
        if (event.type === "trace") {
          client.noteLiveTrace(event.data);
          yield await matching(client, query, state.changed(event.data));
        } else if (event.type === "status") yield await matching(client, query, state.tick());
        else if (event.type === "reset" && event.data.reason !== "cleared")
          output.note(
            "Some traces are not shown: too many changed at once, or while no collector answered.\n",
          );
      }
    } catch (error) {
      if (error instanceof CommandFailure && error.exitCode !== EXIT.away) throw error;
    } finally {
      // Also where nobody asks for more.
      connection.abort();
    }
    if (isBack) output.note(`The connection to ${client.url} has ended. Connecting again…\n`);
    isBack = false;
    await wait(pauseMs);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
}

/** The traces that meet the query, in their order. Conditions are about spans too, so that the collector is asked. */
async function matching(
  client: CollectorClient,
  query: string | undefined,
  traces: readonly TraceSummary[],
): Promise<readonly TraceSummary[]> {
  if (query === undefined || traces.length === 0) return traces;
  const found = new Set<string>();
  for (let from = 0; from < traces.length; from += IDS_PER_QUERY) {
    const ids = traces.slice(from, from + IDS_PER_QUERY).map(({ trace_id: id }) => id);
    const page = await client.get<TraceList>("/v1/traces", "traces", {
      query: `${formatQueryTerm("trace_id", ids)} ${query}`,
      limit: 1000,
    });
    for (const { tenant, trace_id: id } of page.traces) found.add(JSON.stringify([tenant, id]));
  }
  return traces.filter(({ tenant, trace_id: id }) => found.has(JSON.stringify([tenant, id])));
}
