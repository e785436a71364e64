import { textOf } from "../attributes.js";
import { eachInSteps, type Steps } from "../in-steps.js";
import { agentName } from "../model-calls.js";
import type { Run } from "../run.js";
import type { SpanNode } from "../span-tree.js";
import { readingsByNode } from "../step-hints.js";
import { stepsAroundInSteps } from "../steps.js";
import { toolName } from "../tool-uses.js";
import type { ComparedStep } from "./compared-step.js";
import { siblingOrder } from "./sibling-order.js";
import { contentOf } from "./step-content.js";

/**
 * The steps of a run in the order in which they are compared: steps inside another one follow it, and otherwise the earlier
 * start is first. Steps of one type that ran at the same time have no order of their own: they are ordered by what they did.
 */
export function* comparedSteps(run: Run): Steps<ComparedStep[]> {
  const { callOf, useOf } = yield* readingsByNode(run);
  const parents = yield* stepsAroundInSteps(run);
  const inside = new Map<SpanNode | undefined, ComparedStep[]>();
  const levels = new Map<SpanNode, number>();
  for (const [index, node] of run.steps.entries()) {
    if (index % PAUSE === PAUSE - 1) yield;
    const parent = parents.get(node);
    const level = parent === undefined ? 0 : levelOf(parent, parents, levels) + 1;
    const [call, use] = [callOf.get(node), useOf.get(node)];
    const content = yield* contentOf(node, call, use);
    const step = { ...describe(run, node), level, call, use, content };
    const list = inside.get(parent);
    if (list === undefined) inside.set(parent, [step]);
    else list.push(step);
  }
  return yield* inOrder(inside);
}

/** Steps between two pauses. */
const PAUSE = 64;
/** The same where little is done for each. */
const LONG_PAUSE = 4096;

function describe(
  run: Run,
  node: SpanNode,
): Pick<ComparedStep, "node" | "number" | "name" | "hint" | "agent"> {
  const { agent } = node;
  return {
    node,
    number: run.numbers.get(node.id) ?? 0,
    name: nameOf(node),
    hint: run.hints.get(node.id),
    agent: agent === undefined ? "" : agentName(agent),
  };
}

function nameOf(node: SpanNode): string {
  const { span } = node;
  if (span.span_type === "tool") return toolName(node);
  // Libraries call the span of an agent `invoke_agent`.
  return span.span_type === "agent" ? (textOf(span, "agent") ?? span.name) : span.name;
}

function levelOf(
  step: SpanNode,
  parents: ReadonlyMap<SpanNode, SpanNode>,
  known: Map<SpanNode, number>,
): number {
  const path: SpanNode[] = [];
  let above: SpanNode | undefined = step;
  for (; above !== undefined && !known.has(above); above = parents.get(above)) path.push(above);
  let level = above === undefined ? -1 : (known.get(above) ?? -1);
  for (const node of path.reverse()) known.set(node, ++level);
  return level;
}

/** Steps with what is inside them behind them. Not recursive, because steps may be nested deeply. */
function* inOrder(inside: ReadonlyMap<SpanNode | undefined, readonly ComparedStep[]>): Steps<ComparedStep[]> {
  const ordered: ComparedStep[] = [];
  const stack: ComparedStep[] = [];
  let next: ComparedStep | undefined;
  do {
    if (next !== undefined) ordered.push(next);
    if (ordered.length % LONG_PAUSE === LONG_PAUSE - 1) yield;
    const siblings = inside.get(next?.node);
    // Not spread: there may be more siblings than arguments.
    if (siblings !== undefined)
      yield* eachInSteps((yield* siblingOrder(siblings)).reverse(), (step) => stack.push(step));
    next = stack.pop();
  } while (next !== undefined);
  return ordered;
}
