import { isAppFailure, isFailure, textOf } from "../../analysis/attributes.js";
import { loopsOf } from "../../analysis/graph/run-loops.js";
import { leafUsageOf } from "../../analysis/leaf-usage.js";
import type { Run } from "../../analysis/run.js";
import type { SpanNode } from "../../analysis/span-tree.js";
import type { TraceDetail, TraceSummary } from "../../api-schema/trace.js";
import { loopText } from "../../share/loop-text.js";
import { counted, whole } from "../../runtime/counted.js";
import { costOfSum, durationText, markedCost } from "../../share/trace-facts.js";
import { countText, timeText } from "../output/figures.js";
import type { Output } from "../output/output.js";
import { wrapped, wrappedText } from "../output/paragraph.js";
import { safeLine } from "../output/safe-text.js";
import { tableText } from "../output/table.js";
import { truncate } from "../output/width.js";
import { statusColour } from "../trace-columns.js";

/** Deeper spans are not indented further. */
const MAX_DEPTH = 10;
/** Longest error. `trace --step` has the whole one. */
const MAX_ERROR = 2000;
/** Longest text of a loop or a preview in a list that is not truncated. */
const MAX_LINE = 400;

/** Prints a trace: its figures, its steps, its errors and its loops. */
export function printOutline({ trace }: TraceDetail, run: Run, output: Output): void {
  const { colours } = output;
  output.print(headText(trace, output));
  output.print(`\n${stepsTable(run, output)}`);
  const failures = failuresOf(run);
  if (failures.length > 0) output.print(`\n${colours.bold("Errors")}\n`);
  for (const failure of failures)
    for (const [index, line] of errorLines(failure, output).entries())
      output.print(`${index === 0 ? "  " : "    "}${colours.red(line)}\n`);
  const loops = loopFacts(run);
  if (loops.length > 0) output.print(`\n${colours.bold("Loops")}\n`);
  for (const { number, name, text } of loops) {
    const line = `${number === null ? "" : `#${number} `}${name}: ${text}`;
    output.print(`  ${colours.yellow(fitting(line, 2, output))}\n`);
  }
  if (trace.dropped_spans > 0)
    output.note(`${whole(trace.dropped_spans)} spans of this trace were not stored.\n`);
}

/** The trace as the API has it, with what is read from its spans. */
export function outlineJson(detail: TraceDetail, run: Run): object {
  return {
    trace: detail.trace,
    steps: run.steps.map(({ id, span, startMs }, index) => ({
      number: index + 1,
      span_id: id,
      name: span.name,
      span_type: span.span_type,
      status: span.status,
      hint: run.hints.get(id) ?? null,
      start_ms: startMs,
      duration_ms: span.duration_ms,
    })),
    errors: failuresOf(run),
    loops: loopFacts(run),
    spans: detail.spans,
  };
}

function headText(trace: TraceSummary, output: Output): string {
  const { colours } = output;
  const { status, error_type: error } = trace;
  const state = status === "ERROR" && error !== null ? `error, ${error}` : status.toLowerCase();
  const place = [trace.service, trace.env, trace.version].filter((part) => part !== null && part !== "");
  const named = (name: string, value: string | null): string[] =>
    value === null || value === "" ? [] : [`${name} ${value}`];
  const facts = [
    timeText(trace.start_time, new Date()),
    durationText(trace.duration_ms),
    ...(trace.ttft_ms === null ? [] : [`first token ${durationText(trace.ttft_ms)}`]),
    ...(trace.tokens_input + trace.tokens_output === 0
      ? []
      : [`${whole(trace.tokens_input)} → ${whole(trace.tokens_output)} tokens`]),
    costOfSum(trace) ?? "",
    counted(trace.span_count, "span"),
    ...(trace.llm_calls === 0 ? [] : [counted(trace.llm_calls, "model call")]),
    ...(trace.tool_calls === 0 ? [] : [counted(trace.tool_calls, "tool call")]),
    ...(trace.error_count === 0 ? [] : [counted(trace.error_count, "error")]),
  ].filter((fact) => fact !== "");
  const names = [
    ...place,
    ...named("agent", trace.agent),
    ...named("session", trace.session_id),
    ...named("user", trace.user_id),
    ...named("tenant", trace.tenant),
    ...trace.models,
    ...trace.scores.map(({ type, score }) => `${type} ${score.toFixed(2)}`),
  ];
  const colour = statusColour(status, colours) ?? colours.bold;
  return [
    `${colours.bold(safeLine(trace.root_name))}  ${colour(safeLine(state))}`,
    colours.cyan(safeLine(trace.trace_id)),
    ...wrapped(facts.map(safeLine), " · ", output.columns),
    ...wrapped(
      names.map((part) => safeLine(part ?? "")),
      " · ",
      output.columns,
    ),
    ...preview("Input ", trace.input_preview, output),
    ...preview("Output", trace.output_preview, output),
    "",
  ].join("\n");
}

function preview(name: string, text: string | null, output: Output): string[] {
  if (text === null || text.trim() === "") return [];
  return [`${output.colours.dim(name)}  ${fitting(text, name.length + 2, output)}`];
}

/** What failed, and the first line of its message whole: the cause often stands at its end. */
function errorLines({ number, name, type, message }: Failure, { columns }: Output): string[] {
  const [first = "", ...more] = (message ?? "").trim().split(/[\r\n]+/);
  const reason = [type ?? "", more.length === 0 ? first : `${first} …`]
    .filter((part) => part !== "")
    .join(": ");
  const line = `${number === null ? "" : `#${number} `}${name}${reason === "" ? "" : `: ${reason}`}`;
  return wrappedText(truncate(safeLine(line), MAX_ERROR), columns === undefined ? undefined : columns - 4);
}

/** A text in the rest of a line. */
function fitting(text: string, used: number, { columns }: Output): string {
  return truncate(safeLine(text), columns === undefined ? MAX_LINE : columns - used);
}

function stepsTable(run: Run, output: Output): string {
  const { colours } = output;
  const lines = treeLines(run);
  return tableText<SpanNode>(
    [
      { title: "#", text: ({ id }) => String(run.numbers.get(id) ?? ""), align: "right" },
      {
        title: "STEP",
        prefix: (node) => lines.get(node) ?? "",
        text: ({ id, span }) => [span.name, run.hints.get(id) ?? ""].join(" "),
        min: 32,
        colour: ({ span }) => (isFailure(span) ? colours.red : undefined),
      },
      { title: "TYPE", text: ({ span }) => span.span_type, rank: 6, colour: () => colours.dim },
      { title: "MODEL", text: ({ span }) => textOf(span, "model") ?? "", min: 10, rank: 4 },
      {
        title: "STATUS",
        text: ({ span }) => (span.status === "OK" ? "" : span.status.toLowerCase()),
        colour: ({ span }) => statusColour(span.status, colours),
      },
      { title: "AT", text: ({ startMs }) => durationText(startMs), align: "right", rank: 5 },
      { title: "TIME", text: timeOf, align: "right" },
      { title: "TOKENS", text: tokensOf, align: "right", rank: 1 },
      { title: "COST", text: costOf, align: "right", rank: 2 },
    ],
    run.tree.nodes,
    output,
  );
}

/** The lines of the tree before each name. */
function treeLines({ tree }: Run): ReadonlyMap<SpanNode, string> {
  const lines = new Map<SpanNode, string>();
  /** What stands below a span, before the lines of its children. */
  const below = new Map<SpanNode, string>();
  for (const node of tree.nodes) {
    if (node.parent === undefined) {
      lines.set(node, "");
      below.set(node, "");
      continue;
    }
    const indent = below.get(node.parent) ?? "";
    const isLast = node.position === node.siblings;
    lines.set(node, `${indent}${isLast ? "└ " : "├ "}`);
    below.set(node, node.depth >= MAX_DEPTH ? indent : `${indent}${isLast ? "  " : "│ "}`);
  }
  return lines;
}

function timeOf({ span, startMs, endMs }: SpanNode): string {
  if (endMs === undefined) return "running";
  return span.duration_ms === null ? "" : durationText(endMs - startMs);
}

function tokensOf(node: SpanNode): string {
  const { input, output } = leafUsageOf(node);
  return input + output === 0 ? "" : `${countText(input)} → ${countText(output)}`;
}

function costOf(node: SpanNode): string {
  const { costUsd, isComputed } = leafUsageOf(node);
  return markedCost(costUsd, isComputed);
}

/** A span that failed itself. */
interface Failure {
  readonly number: number | null;
  readonly span_id: string;
  readonly name: string;
  readonly type: string | null;
  readonly message: string | null;
}

/** The spans that failed themselves. */
function failuresOf({ tree, numbers }: Run): Failure[] {
  return tree.nodes
    .filter(({ span }) => isAppFailure(span))
    .map(({ id, span }) => ({
      number: numbers.get(id) ?? null,
      span_id: id,
      name: span.name,
      type: textOf(span, "error_type") ?? null,
      message: textOf(span, "error_message") ?? null,
    }));
}

function loopFacts(run: Run) {
  return loopsOf(run).map((loop) => ({
    number: run.numbers.get(loop.span.id) ?? null,
    span_id: loop.span.id,
    kind: loop.kind,
    name: loop.name,
    count: loop.count,
    repeated_ms: loop.repeatedMs,
    text: loopText(loop),
  }));
}
