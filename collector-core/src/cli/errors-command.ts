import type { Command } from "commander";
import { ErrorGroups, type ErrorGroup } from "../analysis/error-groups.js";
import type { NormalizedSpan, TraceDetail, TraceSummary } from "../api-schema/trace.js";
import { createConcurrencyLimit } from "../runtime/concurrency-limit.js";
import type { CollectorClient } from "./collector-client.js";
import { addCollectorOptions, collectorOf, type CollectorFlags } from "./collector-options.js";
import type { CommandContext } from "./command-context.js";
import { CommandFailure, EXIT } from "./command-failure.js";
import type { Output } from "./output/output.js";
import { timeText } from "./output/figures.js";
import { tableText } from "./output/table.js";
import { addQueryArgument, queryOf, wholeNumber } from "./query-argument.js";
import { readTraces } from "./read-pages.js";
import { shortId } from "./trace-columns.js";

/** Traces that are read at a time. */
const AT_ONCE = 4;
/** Texts beyond are shortened: only messages of errors are read. */
const MAX_TRACE_BYTES = 1_000_000;
interface ErrorsFlags extends CollectorFlags {
  readonly limit: number;
}

/** `obspan errors [query]`. */
export function configure(command: Command, context: CommandContext): void {
  addCollectorOptions(addQueryArgument(command))
    .option(
      "--limit <n>",
      "traces with an error that are read, the newest first",
      wholeNumber(1, 10_000),
      200,
    )
    .action(
      context.action(async (words: string[], flags: ErrorsFlags) => {
        const client = collectorOf(flags, context);
        const query = ["has:error", queryOf(words) ?? ""].join(" ").trimEnd();
        const { traces, hasMore } = await readTraces(client, query, flags.limit);
        const groups = await errorGroups(client, traces);
        if (groups.length === 0) {
          context.output.note("No trace with an error matches.\n");
          return EXIT.nothing;
        }
        print(groups, flags, context.output);
        if (hasMore)
          context.output.note(`Of the newest ${flags.limit} traces with an error: --limit reads more.\n`);
        return EXIT.ok;
      }),
    );
}

/** The errors of traces. Those that are gone by now have none. */
async function errorGroups(
  client: CollectorClient,
  traces: readonly TraceSummary[],
): Promise<readonly ErrorGroup[]> {
  const limited = createConcurrencyLimit(AT_ONCE);
  const groups = new ErrorGroups();
  await Promise.all(
    traces.map((trace) =>
      limited(async () => {
        for (const span of await spansOf(client, trace)) groups.add(span, trace.tenant);
      }),
    ),
  );
  return groups.list();
}

async function spansOf(
  client: CollectorClient,
  { trace_id: id, tenant }: TraceSummary,
): Promise<readonly NormalizedSpan[]> {
  try {
    const detail = await client.get<TraceDetail>("/v1/trace", "spans", {
      trace_id: id,
      max_bytes: MAX_TRACE_BYTES,
      ...(tenant !== "" && { tenant }),
    });
    return detail.spans;
  } catch (error) {
    if (error instanceof CommandFailure && error.exitCode === EXIT.nothing) return [];
    throw error;
  }
}

function print(groups: readonly ErrorGroup[], { json }: ErrorsFlags, output: Output): void {
  if (json) {
    for (const group of groups) output.printJson(jsonOf(group));
    return;
  }
  const { colours } = output;
  const now = new Date();
  output.print(
    tableText<ErrorGroup>(
      [
        { title: "TRACES", text: ({ traces }) => traces.toLocaleString("en-US"), align: "right" },
        { title: "ERRORS", text: ({ spans }) => spans.toLocaleString("en-US"), align: "right", rank: 1 },
        { title: "LAST", text: ({ lastTime: time }) => timeText(time, now) },
        { title: "IN", text: ({ example }) => example.name, min: 12, rank: 2, colour: () => colours.bold },
        {
          title: "TYPE",
          text: ({ type }) => type ?? "",
          min: 8,
          rank: 3,
          colour: () => colours.red,
        },
        { title: "TRACE", text: ({ example }) => shortId(example.traceId), colour: () => colours.cyan },
        { title: "MESSAGE", text: ({ shape }) => shape, min: 32 },
      ],
      groups,
      output,
    ),
  );
}

function jsonOf({ shape, type, spans, traces, firstTime, lastTime, example }: ErrorGroup): object {
  return {
    shape,
    error_type: type ?? null,
    name: example.name,
    example: example.message,
    errors: spans,
    traces,
    trace_id: example.traceId,
    span_id: example.spanId,
    first_time: firstTime,
    last_time: lastTime,
  };
}
