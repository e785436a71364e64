import { textOf } from "./attributes.js";
import { eachInSteps, runSteps, sortedInSteps, type Steps } from "./in-steps.js";
import { agentName } from "./model-calls.js";
import type { SpanNode, SpanTree } from "./span-tree.js";

/** Types of spans that do something, and do not only contain others. */
const ACTIONS: ReadonlySet<string> = new Set(["llm", "tool", "retrieval", "embedding"]);

/** The steps of a run. */
export interface NumberedSteps {
  /** In order of start: step 1 is the first. */
  readonly list: readonly SpanNode[];
  /** The number of a step, by span id. */
  readonly numbers: ReadonlyMap<string, number>;
}

/**
 * Finds the steps of a run: model calls, tools, retrievals, embeddings, tasks, and agents that another agent started. What runs
 * inside a step belongs to it, unless it contains model calls, or tools that a model called. Spans that only contain steps are
 * none: the root, wrappers of model calls, the agent of the run. Steps are numbered by their start, so that a number stays while
 * a run goes on.
 *
 * @param actions - the model calls, and the tools that models called.
 */
export function* stepsOf(tree: SpanTree, actions: ReadonlySet<SpanNode>): Steps<NumberedSteps> {
  const opens = yield* openSpans(tree, actions);
  const inTreeOrder: SpanNode[] = [];
  let closedAt = Number.POSITIVE_INFINITY;
  yield* eachInSteps(tree.nodes, (node) => {
    if (node.depth > closedAt) return;
    closedAt = Number.POSITIVE_INFINITY;
    if (isStep(node, actions, opens)) inTreeOrder.push(node);
    if (!opens.has(node) && !isRootOfSteps(node)) closedAt = node.depth;
  });
  const list = yield* sortedInSteps(inTreeOrder, (a, b) => a.startMs - b.startMs);
  const numbers = new Map<string, number>();
  yield* eachInSteps(list, ({ id }, index) => numbers.set(id, index + 1));
  return { list, numbers };
}

/** A run with the numbers of its steps. */
interface NumberedRun extends Pick<NumberedSteps, "numbers"> {
  readonly tree: SpanTree;
}

/** By the numbers of a run. */
const known = new WeakMap<NumberedRun["numbers"], ReadonlyMap<SpanNode, SpanNode>>();

/** The nearest step around each span that has one. */
export function stepsAround(run: NumberedRun): ReadonlyMap<SpanNode, SpanNode> {
  return runSteps(stepsAroundInSteps(run));
}

/** The same with pauses. */
export function* stepsAroundInSteps({ tree, numbers }: NumberedRun): Steps<ReadonlyMap<SpanNode, SpanNode>> {
  const before = known.get(numbers);
  if (before !== undefined) return before;
  const around = new Map<SpanNode, SpanNode>();
  // Parents stand before their children.
  yield* eachInSteps(tree.nodes, (node) => {
    const { parent } = node;
    const step = parent !== undefined && numbers.has(parent.id) ? parent : parent && around.get(parent);
    if (step !== undefined) around.set(node, step);
  });
  known.set(numbers, around);
  return around;
}

/** The spans that contain a model call, an agent, or a tool that a model called. */
function* openSpans(tree: SpanTree, actions: ReadonlySet<SpanNode>): Steps<ReadonlySet<SpanNode>> {
  const open = new Set<SpanNode>();
  yield* eachInSteps(tree.nodes, (node) => {
    const isTool = node.span.span_type === "tool" && node.parent?.span.span_type === "llm";
    if (!actions.has(node) && node.span.span_type !== "agent" && !isTool) return;
    for (let above = node.parent; above !== undefined && !open.has(above); above = above.parent)
      open.add(above);
  });
  return open;
}

function isStep(node: SpanNode, actions: ReadonlySet<SpanNode>, opens: ReadonlySet<SpanNode>): boolean {
  const { span_type: type } = node.span;
  if (type === "evaluation") return false;
  if (type === "agent") return isHandOff(node);
  // The others are wrappers.
  if (type === "llm") return actions.has(node);
  if (isAction(node)) return true;
  return !opens.has(node) && !isRootOfSteps(node);
}

/**
 * The outermost actions inside a span that does nothing itself, in tree order. A task without model calls is one step, whatever
 * it calls. Judges are not part of the run.
 */
export function actionsIn(task: SpanNode): SpanNode[] {
  const found: SpanNode[] = [];
  const waiting = task.children.toReversed();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (isAction(node)) found.push(node);
    else if (node.span.span_type !== "evaluation")
      for (const child of node.children.toReversed()) waiting.push(child);
  }
  return found;
}

/** Whether a span does something, and does not only contain others. */
export function isAction({ span }: SpanNode): boolean {
  return ACTIONS.has(span.span_type);
}

/** Whether an agent was started by another agent. */
export function isHandOff(node: SpanNode): boolean {
  if (node.span.span_type !== "agent") return false;
  const above = node.agent;
  if (above === undefined || agentName(above) === agentName(node)) return false;
  // Libraries wrap a loop of model calls in an agent without a name.
  return textOf(node.span, "agent") !== undefined || !/^invoke_agent\b/.test(node.span.name);
}

/** A root that contains spans is the run itself. So is the agent of a run. */
function isRootOfSteps(node: SpanNode): boolean {
  const { span_type: type } = node.span;
  if (type === "agent") return true;
  return node.parent === undefined && node.children.length > 0 && !ACTIONS.has(type) && type !== "evaluation";
}
