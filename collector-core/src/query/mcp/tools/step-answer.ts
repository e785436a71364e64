import { attributesOf, CONTENT_ATTRIBUTES, costOf, numberOf, textOf } from "../../../analysis/attributes.js";
import { messagesInSteps, type SpanMessages } from "../../../analysis/messages.js";
import { modelCallOf, type Run } from "../../../analysis/run.js";
import type { SpanNode } from "../../../analysis/span-tree.js";
import { messagesInMarkdown } from "../../../analysis/transcript/transcript-markdown.js";
import { inlineJson, prettyJson } from "../../../analysis/values.js";
import type { NormalizedSpan } from "../../../api-schema/trace.js";
import { runInSlices, type Steps } from "../../../runtime/steps.js";
import type { TimeSlice } from "../../../runtime/time-slice.js";
import { facts, MAX_CHARACTERS, MAX_ROWS, type Answer, type Fact, type Section } from "../answer/answer.js";
import { visibleText } from "../answer/visible-text.js";
import { asCost, asCount, asDuration, costCell } from "../formats.js";
import type { TraceRun } from "../read-run.js";
import type { ReadWholeSpan } from "../read-whole-span.js";
import { stepAround, stepName } from "./step-names.js";

/** Attributes with another place in the answer. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set([...CONTENT_ATTRIBUTES, "model", "provider"]);
/** Longest text of a step that is laid out; longer ones are cut at the end. */
const MAX_TEXT = 8_000_000;

/** One step whole: what came out, the error, what went in, and the settings. */
export async function stepAnswer(
  { key, run }: TraceRun,
  node: SpanNode,
  {
    offset,
    readSpan,
    signal,
    timeSlice,
  }: {
    readonly offset: number;
    readonly readSpan: ReadWholeSpan;
    readonly signal: AbortSignal;
    readonly timeSlice: TimeSlice;
  },
): Promise<Answer> {
  const span = (await readSpan(key, node.id, signal)) ?? node.span;
  let messages = await runInSlices(messagesInSteps(span), timeSlice);
  // The wrapper of a call may be the one that has its messages.
  for (const { span_id: id } of modelCallOf(run, node.id)?.sources ?? []) {
    if (messages.input.length + messages.output.length > 0) break;
    const wrapper = (await readSpan(key, id, signal)) ?? span;
    messages = await runInSlices(messagesInSteps(wrapper), timeSlice);
  }
  const text = visibleText((await runInSlices(contentText(span, messages), timeSlice)).slice(0, MAX_TEXT));
  const number = stepAround(node, run);
  const isStep = run.numbers.has(node.id);
  return {
    lead: isStep
      ? `Step ${number} of ${run.steps.length}.`
      : `A span${number === undefined ? "" : ` inside step ${number}`}, which is no step of its own.`,
    sections: [
      ...(offset === 0 ? [stepFacts(node, span, run)] : []),
      {
        kind: "text",
        title: offset === 0 ? "Content" : `Content from character ${offset}`,
        text: text.slice(offset, offset + MAX_CHARACTERS),
        total: Math.max(0, text.length - offset),
        rest: (shown) => `continue with offset ${offset + shown}`,
      },
      ...(offset === 0 ? inside(node) : []),
      ...(offset === 0 ? attributesTable(span) : []),
    ],
    notes:
      offset >= text.length && offset > 0
        ? [`The text of the step has ${text.length} characters: offset is past its end.`]
        : [],
  };
}

function stepFacts(node: SpanNode, span: NormalizedSpan, run: Run): Section {
  const figure = (name: string, key: string, format = asCount): Fact => ({
    name,
    value: numberOf(span, key) ?? null,
    format,
  });
  const cost = costOf(span);
  return facts("Step", [
    { name: "What", value: stepName(node, run) },
    { name: "Span", value: node.id },
    { name: "Status", value: span.status },
    { name: "Model", value: textOf(span, "model") ?? null },
    { name: "Provider", value: textOf(span, "provider") ?? null },
    { name: "Start", value: node.startMs, format: (ms) => `${asDuration(ms)} after the start of the run` },
    { name: "Duration", value: span.duration_ms, format: asDuration },
    figure("First token", "ttft_ms", asDuration),
    figure("Tokens in", "tokens_input"),
    figure("Tokens cached", "tokens_cached"),
    figure("Tokens out", "tokens_output"),
    { name: "Cost", value: cost === undefined ? null : costCell(cost.usd, cost.isComputed), format: asCost },
  ]);
}

function* contentText(span: NormalizedSpan, { input, output }: SpanMessages): Steps<string> {
  const error = ["error_type", "error_message", "error_stack"].flatMap((key) => textOf(span, key) ?? []);
  const tools = toolNames(span);
  return [
    error.length === 0 ? "" : `## Error\n${error.join("\n")}`,
    output.length === 0 ? "" : `## Output\n${(yield* messagesInMarkdown(output, "Output")).trim()}`,
    input.length === 0 ? "" : `## Input\n${(yield* messagesInMarkdown(input, "Input")).trim()}`,
    tools === "" ? "" : `## Tools on offer\n${tools}`,
    span.events.length === 0 ? "" : `## Events\n${span.events.map((event) => inlineJson(event)).join("\n")}`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function toolNames(span: NormalizedSpan): string {
  const tools = attributesOf(span)["tool_definitions"];
  return Array.isArray(tools) && tools.length > 0 ? prettyJson(tools) : "";
}

function inside(node: SpanNode): Section[] {
  if (node.children.length === 0) return [];
  return [
    {
      kind: "table",
      title: "Spans inside",
      columns: [
        { name: "span_id", length: 64 },
        { name: "type", length: 30 },
        { name: "name", length: 80 },
        { name: "duration", format: asDuration },
        { name: "status", length: 30 },
      ],
      total: node.children.length,
      rows: node.children
        .slice(0, MAX_ROWS)
        .map(({ id, span }) => [id, span.span_type, span.name, span.duration_ms, span.status]),
    },
  ];
}

function attributesTable(span: NormalizedSpan): Section[] {
  const others = Object.entries(attributesOf(span)).filter(([key]) => !SHOWN_ELSEWHERE.has(key));
  if (others.length === 0) return [];
  return [
    {
      kind: "table",
      title: "Other attributes",
      columns: [
        { name: "key", length: 80 },
        { name: "value", length: 300 },
      ],
      rows: others.map(([key, value]) => [key, typeof value === "string" ? value : inlineJson(value)]),
    },
  ];
}
