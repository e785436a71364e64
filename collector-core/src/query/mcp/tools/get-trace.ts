import { Type } from "typebox";
import {
  attributeOf,
  costOf,
  isAppFailure,
  numberOf,
  oneLine,
  textOf,
} from "../../../analysis/attributes.js";
import { loopsInSteps, type RunLoop } from "../../../analysis/graph/run-loops.js";
import type { SpanMessage } from "../../../analysis/message.js";
import { messagesInSteps } from "../../../analysis/messages.js";
import type { ModelCall } from "../../../analysis/model-calls.js";
import type { Run } from "../../../analysis/run.js";
import type { SpanNode } from "../../../analysis/span-tree.js";
import { messageMarkdown } from "../../../analysis/transcript/transcript-markdown.js";
import { stepsAround } from "../../../analysis/steps.js";
import { errorWithin } from "../../../analysis/transcript/step-error.js";
import { inlineJson, isTruncated } from "../../../analysis/values.js";
import type { TraceSummary } from "../../../api-schema/trace.js";
import { runInSlices, type Steps } from "../../../runtime/steps.js";
import { loopText } from "../../../share/loop-text.js";
import { counted } from "../../../runtime/counted.js";
import { traceFacts } from "../../../share/trace-facts.js";
import { facts, MAX_ROWS, type Answer, type Cell, type Section } from "../answer/answer.js";
import { asCost, asCount, asDuration, costCell } from "../formats.js";
import { requiredNode, type ReadTraceRun, type TraceRun } from "../read-run.js";
import { ARGUMENTS, defineTool, type Tool } from "../tool.js";
import { tenantOf } from "./search-traces.js";
import type { ReadWholeSpan } from "../read-whole-span.js";
import { stepAnswer } from "./step-answer.js";
import { stepAround, stepName } from "./step-names.js";

/** Texts of the run as a whole. */
const WHOLE_LENGTH = 1200;
/** In an outline of more steps, spans that are no model call, tool or failure are folded. */
const FOLDED_FROM = 30;
/** Steps between two pauses. */
const PAUSE = 512;
/** Names of folded spans that are listed. */
const NAMED_SPANS = 4;
/** Steps that failed which the first sentence names. */
const NAMED_FAILURES = 5;
/** Of the result of a tool in the outline. */
const OUTPUT_LENGTH = 60;

/** Reads one trace: its outline, or one of its steps. */
export function getTrace(readRun: ReadTraceRun, readSpan: ReadWholeSpan): Tool {
  return defineTool({
    name: "get_trace",
    title: "Read a trace",
    description:
      "Reads one run. Without step: totals, input and output, failed spans, loops (repeated tool calls, agents started again), and an outline of numbered " +
      "steps (model calls, tools, retrievals, sub-agents) with time, tokens, errors and how results of tools begin. With step (or " +
      "span_id): that step whole: " +
      "messages, tool arguments and result, error with stack, settings. Read the outline first, then the one or two steps that matter.",
    arguments: {
      trace_id: ARGUMENTS.traceId,
      step: ARGUMENTS.step,
      span_id: ARGUMENTS.spanId,
      from_step: Type.Optional(
        Type.Integer({
          minimum: 1,
          description: "Begins the outline at this step, for the rest of a long run.",
        }),
      ),
      offset: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: "With step: begins its text at this character, for the rest of a long text.",
        }),
      ),
      format: Type.Optional(
        Type.Union([Type.Literal("markdown"), Type.Literal("json")], { description: "Default: markdown." }),
      ),
    },
    async run({ trace_id, step, span_id, from_step: from = 1, offset = 0, ...rest }, { signal }) {
      return await readRun({ trace_id, ...tenantOf(rest) }, signal, async (traceRun, timeSlice) => {
        const node = requiredNode(traceRun, { step, span_id });
        if (node !== undefined)
          return await stepAnswer(traceRun, node, { offset, readSpan, signal, timeSlice });
        return await runInSlices(outlineInSteps(traceRun, from), timeSlice);
      });
    },
  });
}

function* outlineInSteps({ summary, run, hasAllValues }: TraceRun, from: number): Steps<Answer> {
  const { steps, tree } = run;
  const failed = tree.nodes.filter(({ span }) => isAppFailure(span));
  const isWhole = from <= 1;
  yield;
  const whichFailed = stepsOfFailures(failed, run);
  yield;
  const loops = isWhole ? loopsTable(yield* loopsInSteps(run), run) : [];
  yield;
  const outline = yield* stepsTable(run, from);
  yield;
  return {
    lead:
      `A trace of ${counted(summary.span_count, "span")} in ${counted(steps.length, "step")}` +
      `${failed.length === 0 ? ", none failed" : `, ${counted(failed.length, "failed span")}${whichFailed}`}.`,
    sections: [
      ...(isWhole && failed.length > 0 ? [failures(failed, run)] : []),
      ...(isWhole ? [runFacts(summary), ...(yield* wholeTexts(run, summary))] : []),
      ...loops,
      outline,
    ],
    notes: [
      "One step whole: get_trace with step. Against another run: compare_traces.",
      ...(hasAllValues
        ? []
        : ["The trace is very large: long values of some spans were not read for this outline."]),
      ...(summary.dropped_spans === 0
        ? []
        : [`${counted(summary.dropped_spans, "span")} of the trace were not kept.`]),
      ...(summary.running ? ["The trace is still running."] : []),
    ],
  };
}

function runFacts(summary: TraceSummary): Section {
  return facts("Run", [
    { name: "Trace", value: summary.trace_id },
    { name: "Name", value: summary.root_name },
    ...traceFacts(summary).filter(({ name }) => name !== "Spans"),
    ...(summary.prompts.length === 0 ? [] : [{ name: "Prompts", value: summary.prompts.join(", ") }]),
  ]);
}

/** Input and output of the run: of its root, else of its calls. */
function* wholeTexts({ tree, calls }: Run, summary: TraceSummary): Steps<Section[]> {
  const root = tree.roots.find(({ span }) => span.span_type !== "evaluation");
  const own = root === undefined ? { input: [], output: [] } : yield* messagesInSteps(root.span);
  const input =
    own.input.length > 0 ? own.input : (calls[0]?.input.filter(({ role }) => role === "user") ?? []);
  const output = own.output.length > 0 ? own.output : (calls.at(-1)?.output ?? []);
  const text = (messages: typeof input, preview: string | null): string =>
    messages.length === 0 ? (preview ?? "") : beginningOf(messages);
  return [
    {
      kind: "text",
      title: "Input",
      text: cut(text(input, summary.input_preview)),
      rest: () => "see the first step",
    },
    {
      kind: "text",
      title: "Output",
      text: cut(text(output, summary.output_preview)),
      rest: () => "see the last step",
    },
  ];
}

/** As many messages as are shown: there may be very many. */
function beginningOf(messages: readonly SpanMessage[]): string {
  let text = "";
  for (const message of messages) {
    text += `${messageMarkdown(message)}\n\n`;
    if (text.length > WHOLE_LENGTH * 2) break;
  }
  return text.trim();
}

function cut(text: string): string {
  return text.length <= WHOLE_LENGTH ? text : `${text.slice(0, WHOLE_LENGTH).toWellFormed()}…`;
}

/** ` (steps 3, 7, …)`: what to read next, also where the table does not fit. */
function stepsOfFailures(failed: readonly SpanNode[], run: Run): string {
  const steps = [...new Set(failed.flatMap((node) => stepAround(node, run) ?? []))];
  if (steps.length === 0) return "";
  const named = steps.slice(0, NAMED_FAILURES).join(", ");
  return ` (${steps.length === 1 ? "step" : "steps"} ${named}${steps.length > NAMED_FAILURES ? ", …" : ""})`;
}

function failures(failed: readonly SpanNode[], run: Run): Section {
  return {
    kind: "table",
    title: "Failed spans",
    isFirst: true,
    columns: [
      { name: "step" },
      { name: "span", length: 60 },
      { name: "type", length: 40 },
      { name: "message", length: 300 },
    ],
    total: failed.length,
    rows: failed
      .slice(0, MAX_ROWS)
      .map((node) => [
        stepAround(node, run) ?? null,
        node.span.name,
        textOf(node.span, "error_type") ?? null,
        textOf(node.span, "error_message") ?? null,
      ]),
    rest: () => "read a failed step with step",
  };
}

/** Where the run goes round: a call with the same arguments, an agent that is started again. */
function loopsTable(found: readonly RunLoop[], run: Run): Section[] {
  if (found.length === 0) return [];
  return [
    {
      kind: "table",
      title: "Loops",
      total: found.length,
      columns: [
        { name: "step" },
        { name: "what", length: 60 },
        { name: "loop" },
        { name: "arguments", length: 200 },
      ],
      rows: found
        .toSorted((a, b) => b.count - a.count)
        .slice(0, MAX_ROWS)
        .map((loop) => [
          stepAround(loop.span, run) ?? null,
          loop.name,
          loopText(loop),
          loop.arguments === undefined ? null : shortText(loop.arguments),
        ]),
    },
  ];
}

function shortText(value: unknown): string {
  if (isTruncated(value)) return `${value.preview}…`;
  return typeof value === "string" ? value : inlineJson(value);
}

function* stepsTable(run: Run, from: number): Steps<Section> {
  const calls = new Map(run.calls.map((call) => [call.node, call]));
  const lines = yield* linesOf(run, from);
  yield;
  return {
    kind: "table",
    title: "Steps",
    columns: [
      { name: "step" },
      { name: "what", length: 150 },
      { name: "start", format: asDuration },
      { name: "duration", format: asDuration },
      { name: "tokens in", format: asCount },
      { name: "tokens out", format: asCount },
      { name: "cost", format: asCost },
      { name: "result", length: 100 },
    ],
    total: lines.length,
    rows: lines
      .slice(0, MAX_ROWS)
      .map(({ first, nodes: [node, ...others] }) =>
        others.length === 0 && node !== undefined
          ? stepRow(node, run, calls)
          : foldedRow(first, node === undefined ? others : [node, ...others]),
      ),
    rest: (count) => `get_trace with from_step ${lines[count]?.first ?? from}`,
  };
}

/** Steps that are one line of the outline: one, or several that are folded. */
interface OutlineLine {
  /** The number of the first. */
  readonly first: number;
  readonly nodes: readonly SpanNode[];
}

/** The lines from a step on. Of a long run, neighbouring spans that are no model call, tool or failure are folded. */
function* linesOf({ steps }: Run, from: number): Steps<OutlineLine[]> {
  const isLong = steps.length > FOLDED_FROM;
  const lines: { first: number; nodes: SpanNode[]; isPlain: boolean }[] = [];
  for (const [index, node] of steps.entries()) {
    if (index < from - 1) continue;
    if (index % PAUSE === PAUSE - 1) yield;
    const isPlain = isLong && node.span.span_type === "span" && errorWithin(node) === undefined;
    const last = lines.at(-1);
    if (isPlain && last?.isPlain === true) last.nodes.push(node);
    else lines.push({ first: index + 1, nodes: [node], isPlain });
  }
  return lines;
}

/** `2–25`, `24 other spans: Config.get, Session.updatePart, …`. */
function foldedRow(first: number, nodes: readonly SpanNode[]): readonly (string | number | null)[] {
  const names = [...new Set(nodes.map(({ span }) => span.name))];
  const named = names.slice(0, NAMED_SPANS).join(", ") + (names.length > NAMED_SPANS ? ", …" : "");
  const start = nodes[0]?.startMs ?? 0;
  const end = nodes.reduce((latest, { startMs, endMs }) => Math.max(latest, endMs ?? startMs), start);
  return [
    `${first}–${first + nodes.length - 1}`,
    `${nodes.length} other spans: ${named}`,
    start,
    end - start,
    null,
    null,
    null,
    "",
  ];
}

function stepRow(node: SpanNode, run: Run, calls: ReadonlyMap<SpanNode, ModelCall>): readonly Cell[] {
  const { span } = node;
  const call = calls.get(node);
  const figure = (key: string): number | null =>
    [span, ...(call?.sources ?? [])]
      .map((each) => numberOf(each, key))
      .find((value) => value !== undefined) ?? null;
  const cost = [span, ...(call?.sources ?? [])].map(costOf).find((value) => value !== undefined);
  return [
    run.numbers.get(node.id) ?? null,
    `${"· ".repeat(levelOf(node, run))}${stepName(node, run)}`,
    node.startMs,
    node.endMs === undefined ? null : node.endMs - node.startMs,
    figure("tokens_input"),
    figure("tokens_output"),
    cost === undefined ? null : costCell(cost.usd, cost.isComputed),
    resultText(node),
  ];
}

/** Deeper steps are not indented further. */
const MAX_LEVEL = 8;

/** Steps around a step. */
function levelOf(node: SpanNode, run: Run): number {
  const around = stepsAround(run);
  let level = 0;
  for (let step = around.get(node); step !== undefined && level < MAX_LEVEL; step = around.get(step)) level++;
  return level;
}

/** How the result of a tool begins: an empty or a wrong one is seldom an error, and often the cause of one. */
function outputText({ span }: SpanNode): string {
  const output = span.span_type === "tool" ? attributeOf(span, "output_text") : undefined;
  return output === undefined ? "" : oneLine(shortText(output), OUTPUT_LENGTH);
}

function resultText(node: SpanNode): string {
  const error = errorWithin(node);
  if (error === undefined) return node.span.status === "OK" ? outputText(node) : node.span.status;
  const message = isTruncated(error.message) ? error.message.preview : error.message;
  return `ERROR ${oneLine([error.type, message].filter((part) => part !== undefined).join(": "), 90)}`;
}
