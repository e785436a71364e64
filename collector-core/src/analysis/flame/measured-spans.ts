import { runSteps, type Steps } from "../in-steps.js";
import { leafUsageOf, type Usage } from "../leaf-usage.js";
import type { SpanNode, SpanTree } from "../span-tree.js";

/** What a frame can be measured by. */
export const MEASURES = ["time", "tokens", "cost"] as const;
export type Measure = (typeof MEASURES)[number];

/** An amount by each measure: milliseconds, tokens in and out, US dollars. */
export type Weights = Readonly<Record<Measure, number>>;

export const NO_WEIGHTS: Weights = { time: 0, tokens: 0, cost: 0 };

/** The sum of two amounts. */
export function addWeights(a: Weights, b: Weights): Weights {
  return { time: a.time + b.time, tokens: a.tokens + b.tokens, cost: a.cost + b.cost };
}

/** A span of a run with its own amounts. */
export interface MeasuredSpan {
  readonly node: SpanNode;
  /** The span around it, without evaluations. */
  readonly parent: SpanNode | undefined;
  readonly durationMs: number;
  /** Its duration without the time in which children ran, and its own tokens and cost. */
  readonly own: Weights;
  readonly usage: Usage;
}

/**
 * Measures the spans of a run, parents before children. Evaluations run later and are no part of it; what runs inside of them
 * stands beside them.
 *
 * @param nowMs - the assumed end of running spans.
 */
export function measuredSpans(tree: SpanTree, nowMs: number): MeasuredSpan[] {
  return runSteps(measureInSteps(tree, nowMs));
}

/** Spans between two pauses. */
const PAUSE = 1024;

/** The same with pauses: a run may have very many spans. */
export function* measureInSteps(tree: SpanTree, nowMs: number): Steps<MeasuredSpan[]> {
  const endOf = ({ startMs, endMs }: SpanNode): number => Math.max(startMs, endMs ?? nowMs);
  const parents = new Map<SpanNode, SpanNode | undefined>();
  const children = new Map<SpanNode, SpanNode[]>();
  for (const node of tree.nodes) {
    if (node.place % PAUSE === PAUSE - 1) yield;
    const { parent } = node;
    const isEvaluation = parent?.span.span_type === "evaluation";
    const around = isEvaluation ? parents.get(parent) : parent;
    parents.set(node, around);
    if (around === undefined || node.span.span_type === "evaluation") continue;
    const siblings = children.get(around);
    if (siblings === undefined) children.set(around, [node]);
    else siblings.push(node);
  }
  const measured: MeasuredSpan[] = [];
  for (const node of tree.nodes) {
    if (node.place % PAUSE === PAUSE - 1) yield;
    if (node.span.span_type === "evaluation") continue;
    const durationMs = endOf(node) - node.startMs;
    const usage = leafUsageOf(node);
    const time = durationMs - coveredMs(node.startMs, endOf(node), children.get(node) ?? [], endOf);
    const own = { time, tokens: usage.input + usage.output, cost: usage.costUsd };
    measured.push({ node, parent: parents.get(node), durationMs, own, usage });
  }
  return measured;
}

/** How much of an interval some spans cover together. */
function coveredMs(
  fromMs: number,
  toMs: number,
  nodes: readonly SpanNode[],
  endOf: (node: SpanNode) => number,
): number {
  let covered = 0;
  let until = fromMs;
  for (const node of nodes.toSorted((a, b) => a.startMs - b.startMs)) {
    const start = Math.max(node.startMs, until);
    const end = Math.min(endOf(node), toMs);
    if (end <= start) continue;
    covered += end - start;
    until = end;
  }
  return Math.min(covered, toMs - fromMs);
}
