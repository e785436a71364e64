import { attributeOf, textOf } from "../attributes.js";
import { canonicalData, canonicalJson } from "../canonical-json.js";
import type { Steps } from "../in-steps.js";
import type { SpanMessage } from "../message.js";
import { recordedInSteps } from "../messages.js";
import type { ModelCall } from "../model-calls.js";
import type { SpanNode } from "../span-tree.js";
import type { ToolUse } from "../tool-uses.js";
import { unitsOf } from "../transcript/message-units.js";
import { errorWithin } from "../transcript/step-error.js";
import { parameterKeys } from "./parameters.js";
import { toolDefinitionsOf } from "./tool-definitions.js";
import { unitKey } from "./unit-key.js";

/** What a step got and gave, as texts that are equal for equal values. */
export interface StepContent {
  readonly model: string;
  /** Settings of the request by name. */
  readonly parameters: readonly string[];
  /** The instructions of a model call. */
  readonly system: readonly string[];
  /** The tools that a model could call. */
  readonly tools: readonly string[];
  /** The messages of a model call; the arguments of a tool; otherwise the input. */
  readonly input: readonly string[];
  readonly output: readonly string[];
  /** Type and message of the failure; empty if there was none. */
  readonly error: string;
}

/** Reads what a step got and gave, in steps: a call may have very many messages. */
export function* contentOf(
  node: SpanNode,
  call: ModelCall | undefined,
  use: ToolUse | undefined,
): Steps<StepContent> {
  const error = errorWithin(node);
  const shared = {
    model: textOf(node.span, "model") ?? "",
    error: error === undefined ? "" : canonicalJson([error.type ?? "", error.message ?? ""]),
  };
  if (call !== undefined) return { ...shared, ...(yield* callContent(call)) };
  const { input, output } = yield* recordedInSteps(node.span);
  const answer = attributeOf(node.span, "output_text") ?? attributeOf(node.span, "completion_messages");
  return {
    ...shared,
    parameters: [],
    system: [],
    tools: [],
    input: use?.arguments === undefined ? (yield* keysOf(input)).all : [canonicalData(use.arguments)],
    output: use === undefined || answer === undefined ? (yield* keysOf(output)).all : [canonicalData(answer)],
  };
}

function* callContent(call: ModelCall): Steps<Omit<StepContent, "model" | "error">> {
  const input = yield* keysOf(call.input);
  const output = yield* keysOf(call.output);
  return {
    parameters: parameterKeys(call.node.span),
    system: input.system,
    tools: toolDefinitionsOf(call.sources).map(({ key }) => key),
    input: input.others,
    output: output.all,
  };
}

/** Messages between two pauses. */
const PAUSE = 256;

function* keysOf(
  messages: readonly SpanMessage[],
): Steps<Readonly<Record<"system" | "others" | "all", readonly string[]>>> {
  const keys = { system: [] as string[], others: [] as string[], all: [] as string[] };
  for (const [index, message] of messages.entries()) {
    if (index % PAUSE === PAUSE - 1) yield;
    for (const unit of unitsOf([message])) {
      const key = unitKey(unit);
      keys.all.push(key);
      keys[unit.role === "system" ? "system" : "others"].push(key);
    }
  }
  return keys;
}
