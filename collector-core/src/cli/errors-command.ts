import type { Command } from "commander";
import { isFailure, textOf } from "../analysis/attributes.js";
import { errorShape } from "../analysis/error-shape.js";
import type { NormalizedSpan, TraceDetail, TraceList, TraceSummary } from "../api-schema/trace.js";
import { createConcurrencyLimit } from "../runtime/concurrency-limit.js";
import type { CollectorClient } from "./collector-client.js";
import { addCollectorOptions, collectorOf, type CollectorFlags } from "./collector-options.js";
import type { CommandContext } from "./command-context.js";
import { CommandFailure, EXIT } from "./command-failure.js";
import type { Output } from "./output/output.js";
import { timeText } from "./output/figures.js";
import { tableText } from "./output/table.js";
import { addQueryArgument, queryOf, wholeNumber } from "./query-argument.js";
import { shortId } from "./trace-columns.js";

/** Traces that are read at a time. */
const AT_ONCE = 4;
const PAGE = 1000;
/** Texts beyond are shortened: only messages of errors are read. */
const MAX_TRACE_BYTES = 1_000_000;
/** An example is as long as a line of a wide terminal. */
const EXAMPLE_LENGTH = 500;

/** Errors with the same shape of their message. */
interface ErrorGroup {
  readonly shape: string;
  readonly error_type: string | null;
  /** The span that failed, of the newest. */
  readonly name: string;
  /** A whole message. */
  readonly example: string;
  errors: number;
  traces: number;
  /** The newest trace with it. */
  readonly trace_id: string;
  readonly last_time: string;
  first_time: string;
}

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
        const { traces, hasMore } = await failedTraces(client, queryOf(words), flags.limit);
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

async function failedTraces(
  client: CollectorClient,
  words: string | undefined,
  limit: number,
): Promise<{ readonly traces: readonly TraceSummary[]; readonly hasMore: boolean }> {
  const query = words === undefined ? "has:error" : `has:error ${words}`;
  const traces: TraceSummary[] = [];
  let cursor: string | undefined;
  do {
    const size = Math.min(limit - traces.length, PAGE);
    const page: TraceList = await client.get<TraceList>("/v1/traces", "traces", {
      query,
      limit: size,
      cursor,
    });
    for (const trace of page.traces) traces.push(trace);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && traces.length < limit);
  return { traces, hasMore: cursor !== undefined };
}

/** The errors of traces by the shape of their message, the most frequent first. */
async function errorGroups(client: CollectorClient, traces: readonly TraceSummary[]): Promise<ErrorGroup[]> {
  const limited = createConcurrencyLimit(AT_ONCE);
  const read = await Promise.all(
    traces.map((trace) => limited(async () => ({ trace, failures: await failuresOf(client, trace) }))),
  );
  const groups = new Map<string, ErrorGroup>();
  for (const { trace, failures } of read) {
    const counted = new Set<ErrorGroup>();
    for (const { name, type, message } of failures) {
      const shape = errorShape(message);
      const key = JSON.stringify([type, shape]);
      const group = groups.get(key) ?? newGroup({ name, type, message }, shape, trace);
      groups.set(key, group);
      group.errors++;
      if (counted.has(group)) continue;
      counted.add(group);
      group.traces++;
      if (trace.start_time < group.first_time) group.first_time = trace.start_time;
    }
  }
  return [...groups.values()].toSorted((a, b) => b.traces - a.traces || b.errors - a.errors);
}

interface Failure {
  readonly name: string;
  readonly type: string | null;
  readonly message: string;
}

function newGroup({ name, type, message }: Failure, shape: string, trace: TraceSummary): ErrorGroup {
  return {
    shape,
    error_type: type,
    name,
    example: message,
    errors: 0,
    traces: 0,
    trace_id: trace.trace_id,
    last_time: trace.start_time,
    first_time: trace.start_time,
  };
}

/** What failed in a trace. It may be gone by now. */
async function failuresOf(client: CollectorClient, trace: TraceSummary): Promise<Failure[]> {
  const { trace_id: id, tenant } = trace;
  try {
    const detail = await client.get<TraceDetail>("/v1/trace", "spans", {
      trace_id: id,
      max_bytes: MAX_TRACE_BYTES,
      ...(tenant !== "" && { tenant }),
    });
    return detail.spans.filter((span) => isFailure(span) && span.span_type !== "evaluation").map(failureOf);
  } catch (error) {
    if (error instanceof CommandFailure && error.exitCode === EXIT.nothing) return [];
    throw error;
  }
}

function failureOf(span: NormalizedSpan): Failure {
  const type = textOf(span, "error_type");
  const message = textOf(span, "error_message") ?? type ?? `${span.name} failed`;
  return { name: span.name, type: type ?? null, message: message.slice(0, EXAMPLE_LENGTH) };
}

function print(groups: readonly ErrorGroup[], { json }: ErrorsFlags, output: Output): void {
  if (json) {
    for (const group of groups) output.printJson(group);
    return;
  }
  const { colours } = output;
  const now = new Date();
  output.print(
    tableText<ErrorGroup>(
      [
        { title: "TRACES", text: ({ traces }) => traces.toLocaleString("en-US"), align: "right" },
        { title: "ERRORS", text: ({ errors }) => errors.toLocaleString("en-US"), align: "right", rank: 1 },
        { title: "LAST", text: ({ last_time: time }) => timeText(time, now) },
        { title: "IN", text: ({ name }) => name, min: 12, rank: 2, colour: () => colours.bold },
        {
          title: "TYPE",
          text: ({ error_type: type }) => type ?? "",
          min: 8,
          rank: 3,
          colour: () => colours.red,
        },
        { title: "TRACE", text: ({ trace_id: id }) => shortId(id), colour: () => colours.cyan },
        { title: "MESSAGE", text: ({ shape }) => shape, min: 32 },
      ],
      groups,
      output,
    ),
  );
}
