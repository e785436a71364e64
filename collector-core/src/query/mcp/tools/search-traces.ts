import { Type } from "typebox";
import { GROUP_KEYS, GROUP_ORDERS, type GroupOrder } from "../../../api-schema/group-keys.js";
import { ApiError } from "../../../api-schema/errors.js";
import type { TraceOrder, TraceSummary } from "../../../api-schema/trace.js";
import type { TraceGroup } from "../../../api-schema/groups.js";
import type { TraceStore } from "../../../interfaces.js";
import { requiredStore } from "../../trace-requests.js";
import type { Answer, Table } from "../answer/answer.js";
import { counted } from "../../../runtime/counted.js";
import { asCost, asCount, asDuration, asShare, asTime, sumCell, timeOf } from "../formats.js";
import { ARGUMENTS, defineTool, type Tool } from "../tool.js";

const TRACE_ORDERS = ["newest", "slowest", "costliest"] as const satisfies readonly TraceOrder[];
const PREVIEW_LENGTH = 90;

/** Finds traces, or groups them. */
export function searchTraces(store: TraceStore | undefined): Tool {
  return defineTool({
    name: "search_traces",
    title: "Search traces",
    description:
      "Finds recorded runs (traces) of LLM apps and agents, one line each: id, start, status, duration, tokens, cost, and the " +
      "beginning of input and output. Start here: without arguments it lists the newest runs. With group_by it answers one line " +
      "a value instead (runs, error rate, p50/p95, tokens, cost, scores), which is the way to compare models, versions, agents, tools or users. " +
      "Then call get_trace with a trace_id.",
    arguments: {
      query: ARGUMENTS.query,
      group_by: Type.Optional(
        Type.String({
          maxLength: 257,
          description: `Answers figures by value of one key: ${GROUP_KEYS.join(", ")}, or @attribute.`,
        }),
      ),
      sort: Type.Optional(
        Type.String({
          description: `newest (default), slowest or costliest; with group_by: ${GROUP_ORDERS.join(", ")}.`,
        }),
      ),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 100, description: "Lines at most. Default: 20." }),
      ),
      cursor: ARGUMENTS.cursor,
    },
    async run({ query, group_by: by, sort, limit = 20, cursor, ...rest }, { signal }) {
      const traces = requiredStore(store);
      const filter = { ...(query !== undefined && { query }), ...tenantOf(rest) };
      if (by !== undefined) {
        const groups = await traces.groups({ ...filter, by, order: groupOrder(sort) }, signal);
        return groupsAnswer(
          by,
          groups.groups.slice(0, limit),
          groups.groups.length + (groups.other?.groups ?? 0),
          groups.unread,
        );
      }
      const order = traceOrder(sort);
      const page = await traces.list(
        { ...filter, order, limit, ...(cursor !== undefined && { cursor }) },
        signal,
      );
      if (page.traces.length === 0) return await nothingFound(traces, filter, signal);
      return {
        lead: `${counted(page.traces.length, "trace")}, ${order} first. Times are UTC.`,
        sections: [tracesTable(page.traces, "Use a smaller limit and the cursor, or a larger max_tokens")],
        notes:
          page.nextCursor === null
            ? ["No more traces."]
            : [`More: the same arguments with cursor "${page.nextCursor}".`],
      };
    },
  });
}

/** The tenant of the arguments, which the server adds. */
export function tenantOf(args: object): { readonly tenant?: string } {
  const { tenant } = args as { readonly tenant?: string };
  return tenant === undefined ? {} : { tenant };
}

function traceOrder(sort = "newest"): TraceOrder {
  const order = TRACE_ORDERS.find((each) => each === sort);
  if (order === undefined) throw unknownSort(sort, TRACE_ORDERS, "without group_by");
  return order;
}

function groupOrder(sort = "runs"): GroupOrder {
  const order = GROUP_ORDERS.find((each) => each === sort);
  if (order === undefined) throw unknownSort(sort, GROUP_ORDERS, "with group_by");
  return order;
}

function unknownSort(sort: string, orders: readonly string[], when: string): ApiError {
  return new ApiError(
    "invalid_query",
    `sort is one of ${orders.join(", ")} ${when}, not ${JSON.stringify(sort.slice(0, 64))}.`,
  );
}

/** Traces, one line each, without the columns that none of them has. */
export function tracesTable(traces: readonly TraceSummary[], rest?: string): Table {
  const has = (of: (trace: TraceSummary) => unknown): boolean => traces.some((trace) => Boolean(of(trace)));
  const columns = [
    { name: "trace_id", length: 128, of: (trace: TraceSummary) => trace.trace_id },
    { name: "started", format: asTime, of: (trace: TraceSummary) => timeOf(trace.start_time) },
    { name: "name", length: 60, of: (trace: TraceSummary) => trace.root_name },
    { name: "status", length: 40, of: statusText },
    { name: "duration", of: (trace: TraceSummary) => trace.duration_ms, format: asDuration },
    {
      name: "tokens",
      of: ({ tokens_input: input, tokens_output: output }: TraceSummary) => input + output,
      format: asCount,
    },
    { name: "cost", of: (trace: TraceSummary) => sumCell(trace), format: asCost },
    {
      name: "calls",
      of: ({ llm_calls: models, tool_calls: tools }: TraceSummary) => `${models} llm, ${tools} tool`,
    },
    { name: "version", length: 40, of: (trace: TraceSummary) => trace.version, isOptional: true },
    { name: "session", length: 64, of: (trace: TraceSummary) => trace.session_id, isOptional: true },
    { name: "tenant", length: 64, of: (trace: TraceSummary) => trace.tenant, isOptional: true },
    { name: "scores", of: scoresText, isOptional: true },
    {
      name: "input",
      length: PREVIEW_LENGTH,
      of: (trace: TraceSummary) => trace.input_preview,
      isOptional: true,
    },
    {
      name: "output",
      length: PREVIEW_LENGTH,
      of: (trace: TraceSummary) => trace.output_preview,
      isOptional: true,
    },
  ].filter(({ of, isOptional }) => isOptional !== true || has(of));
  return {
    kind: "table",
    title: "Traces",
    columns,
    rows: traces.map((trace) => columns.map(({ of }) => of(trace))),
    ...(rest !== undefined && { rest: () => rest }),
  };
}

/** `ERROR (timeout)`. */
export function statusText({ status, error_type: type, error_count: errors }: TraceSummary): string {
  if (status === "ERROR") return type === null ? status : `${status} (${type})`;
  return errors === 0 ? status : `${status}, ${counted(errors, "failed span")}`;
}

function scoresText({ scores }: TraceSummary): string {
  return scores.map(({ type, score }) => `${type} ${score.toFixed(2)}`).join(", ");
}

async function nothingFound(
  store: TraceStore,
  { query, ...tenant }: { readonly query?: string; readonly tenant?: string },
  signal: AbortSignal,
): Promise<Answer> {
  const all = await store.facets(tenant, signal);
  if (all.total === 0)
    return {
      lead: "The collector has no traces: no app has sent spans to it yet, or they were deleted or have expired.",
      sections: [],
    };
  const values = (["service", "agent", "model", "tool", "status", "error_type", "version"] as const).map(
    (key) => ({
      name: key,
      value: all[key]
        .slice(0, 8)
        .map(({ value, count }) => `${value} (${count})`)
        .join(", "),
    }),
  );
  return {
    lead:
      query === undefined
        ? "No traces."
        : `No trace matches the query; there are ${counted(all.total, "trace")} in all.`,
    sections: [
      { kind: "facts", title: "Values that exist", facts: values.filter(({ value }) => value !== "") },
    ],
    notes: ["Drop conditions one after the other, or use values that exist."],
  };
}

function groupsAnswer(by: string, groups: readonly TraceGroup[], total: number, unread: number): Answer {
  const columns = [
    { name: "value", length: 100, of: ({ value }: TraceGroup) => value ?? "(none)" },
    { name: "runs", of: ({ runs }: TraceGroup) => runs },
    { name: "errors", of: (group: TraceGroup) => group.error_ratio, format: asShare },
    { name: "p50", of: (group: TraceGroup) => group.p50_ms, format: asDuration },
    { name: "p95", of: (group: TraceGroup) => group.p95_ms, format: asDuration },
    { name: "ttft p50", of: (group: TraceGroup) => group.ttft_p50_ms, format: asDuration },
    { name: "tokens in", of: (group: TraceGroup) => group.tokens_input, format: asCount },
    { name: "tokens out", of: (group: TraceGroup) => group.tokens_output, format: asCount },
    { name: "cost", of: (group: TraceGroup) => sumCell(group), format: asCost },
    {
      name: "cost per run",
      of: ({ cost_per_run_usd: usd, cost_source: source }: TraceGroup) =>
        sumCell({ cost_usd: usd, cost_source: source }),
      format: asCost,
    },
    {
      name: "mean scores",
      of: ({ scores }: TraceGroup) => scores.map(({ type, mean }) => `${type} ${mean.toFixed(2)}`).join(", "),
    },
  ];
  return {
    lead: `${counted(groups.length, "group")} of ${total}. A run with several values is in several groups.`,
    sections: [
      {
        kind: "table",
        title: `Groups by ${by.startsWith("@") ? "attribute" : by}`,
        columns,
        rows: groups.map((group) => columns.map(({ of }) => of(group))),
        rest: () => "use a larger max_tokens, or a narrower query",
      },
    ],
    notes: [
      ...(groups.length < total ? ["More groups: a larger limit (up to 100), or a narrower query."] : []),
      ...(unread === 0 ? [] : [`${counted(unread, "older trace")} were not read: narrow the query by time.`]),
      "The runs of one group: the same query with that key and value.",
    ],
  };
}
