import { attributeOf, oneLine } from "./attributes.js";
import { eachInSteps, type Steps } from "./in-steps.js";
import type { SpanMessage, ToolCallPart } from "./message.js";
import type { ModelCall } from "./model-calls.js";
import type { SpanNode } from "./span-tree.js";
import { toolName, type ToolUse } from "./tool-uses.js";
import { isRecord, isTruncated, parseJsonText } from "./values.js";

/** Longest hint, in characters. */
const LENGTH = 100;
/** Steps between two pauses. */
const PAUSE = 1024;
/** Most arguments in a hint. */
const ARGUMENTS = 8;

/**
 * What tells steps of the same name apart: the call of a tool or the first words of the answer, for a tool its arguments.
 * Undefined for steps that have a name of their own.
 */
export function* stepHintsInSteps(
  steps: readonly SpanNode[],
  calls: readonly ModelCall[],
  uses: readonly ToolUse[],
): Steps<ReadonlyMap<string, string>> {
  const names = new Map<string, number>();
  yield* eachInSteps(steps, ({ span }) => names.set(span.name, (names.get(span.name) ?? 0) + 1));
  const { callOf, useOf } = yield* readingsByNode({ calls, uses });
  const hints = new Map<string, string>();
  for (const [index, node] of steps.entries()) {
    if (index % PAUSE === PAUSE - 1) yield;
    if ((names.get(node.span.name) ?? 0) < 2) continue;
    const hint = hintOf(node, callOf.get(node), useOf.get(node));
    if (hint !== undefined && hint !== "") hints.set(node.id, hint);
  }
  return hints;
}

/** The model calls and the tool uses by their span. */
export function* readingsByNode({ calls, uses }: Readings): Steps<ReadingsByNode> {
  const callOf = new Map<SpanNode, ModelCall>();
  const useOf = new Map<SpanNode, ToolUse>();
  yield* eachInSteps(calls, (call) => callOf.set(call.node, call));
  yield* eachInSteps(uses, (use) => use.node !== undefined && useOf.set(use.node, use));
  return { callOf, useOf };
}

/** The model calls and the tool uses of a run. */
interface Readings {
  readonly calls: readonly ModelCall[];
  readonly uses: readonly ToolUse[];
}

interface ReadingsByNode {
  readonly callOf: ReadonlyMap<SpanNode, ModelCall>;
  readonly useOf: ReadonlyMap<SpanNode, ToolUse>;
}

function hintOf(node: SpanNode, call: ModelCall | undefined, use: ToolUse | undefined): string | undefined {
  if (call !== undefined) return outputHint(call.output);
  if (use !== undefined) {
    const name = toolName(node);
    const text = `(${argumentText(use.arguments)})`;
    if (!node.span.name.includes(name)) return oneLine(name + text, LENGTH);
    return text === "()" ? undefined : oneLine(text, LENGTH);
  }
  const texts = ["output_text", "input_text"].map((key) => attributeOf(node.span, key));
  return texts.map(firstWords).find((words) => words !== undefined);
}

/** `→ get_order(order_id: "48190") +1`, or the first words. */
export function outputHint(output: readonly SpanMessage[]): string | undefined {
  const parts = output.flatMap((message) => message.parts);
  const calls = parts.filter((part) => part.kind === "call");
  const [first] = calls;
  if (first !== undefined) {
    const more = calls.length > 1 ? ` +${calls.length - 1}` : "";
    return `→ ${oneLine(callText(first), LENGTH)}${more}`;
  }
  for (const part of parts) {
    const words = part.kind === "text" ? firstWords(part.text) : undefined;
    if (words !== undefined) return words;
  }
  return undefined;
}

/** `get_order(order_id: "48190")`. */
export function callText({ name, arguments: values }: ToolCallPart): string {
  return `${name}(${argumentText(values)})`;
}

function argumentText(value: unknown): string {
  if (value === undefined || value === null) return "";
  const held = typeof value === "string" ? (parseJsonText(value) ?? value) : value;
  if (isTruncated(held)) return `${held.preview}…`;
  if (!isRecord(held)) return typeof held === "string" ? held : JSON.stringify(held);
  return Object.entries(held)
    .slice(0, ARGUMENTS)
    .map(([key, item]) => `${key}: ${oneLine(valueText(item), LENGTH)}`)
    .join(", ");
}

function valueText(item: unknown): string {
  return JSON.stringify(isTruncated(item) ? `${item.preview}…` : (item ?? null));
}

function firstWords(value: unknown): string | undefined {
  const text = textIn(value);
  const line = text === undefined ? "" : oneLine(text, LENGTH);
  return line === "" ? undefined : line;
}

function textIn(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return isTruncated(value) ? value.preview : undefined;
}
