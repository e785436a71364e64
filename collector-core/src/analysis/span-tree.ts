import type { NormalizedSpan } from "../api-schema/trace.js";
import { eachInSteps, runSteps, type Steps } from "./in-steps.js";
import { millisecondsSince } from "./instant.js";

/** A span in the tree. */
export interface SpanNode {
  readonly span: NormalizedSpan;
  readonly id: string;
  readonly parent: SpanNode | undefined;
  readonly children: readonly SpanNode[];
  /** The nearest agent around it. */
  readonly agent: SpanNode | undefined;
  /** Its place among all nodes in display order, and that of the last one inside it: {@link isInside}. */
  readonly place: number;
  readonly lastPlace: number;
  /** 0 for a root. */
  readonly depth: number;
  /** Position among its siblings, starting at 1, and their number. */
  readonly position: number;
  readonly siblings: number;
  /** Milliseconds from the start of the trace. */
  readonly startMs: number;
  /** Undefined while the span runs. A span with an unknown duration ends where it starts. */
  readonly endMs: number | undefined;
}

/** Whether a span is inside another one, however deep. Walks up the parents would take too long in a chain of spans. */
export function isInside(node: SpanNode, around: SpanNode): boolean {
  return around.place < node.place && node.place <= around.lastPlace;
}

/** The spans of a trace by their parents. */
export interface SpanTree {
  readonly roots: readonly SpanNode[];
  /** Every span in display order: parents before children. */
  readonly nodes: readonly SpanNode[];
  readonly byId: ReadonlyMap<string, SpanNode>;
  /** RFC 3339: the earliest start. All offsets count from it. */
  readonly startTime: string;
  /**
   * The latest known time of the run: an end, or the start of a running span. Evaluations are excluded, because they
   * run later.
   */
  readonly endMs: number;
  readonly isRunning: boolean;
}

type MutableNode = {
  -readonly [Key in keyof SpanNode]: Key extends "parent" | "agent"
    ? MutableNode | undefined
    : Key extends "children"
      ? MutableNode[]
      : SpanNode[Key];
};

/**
 * Builds the tree. Parent ids may be wrong: a span whose parent is missing or itself becomes a root, and a cycle of
 * parents is broken at its first span. No span is lost.
 *
 * @param spans - in order of start, ties by arrival; siblings and spans without parents keep this order.
 */
export function buildSpanTree(spans: readonly NormalizedSpan[]): SpanTree {
  return runSteps(spanTreeInSteps(spans));
}

/** Spans between two pauses. */
const PAUSE = 1024;

/** The same with pauses: a trace may have very many spans. */
export function* spanTreeInSteps(spans: readonly NormalizedSpan[]): Steps<SpanTree> {
  const startTime = spans[0]?.start_time ?? "1970-01-01T00:00:00Z";
  const byId = new Map<string, MutableNode>();
  const offsetOf = millisecondsSince(startTime);
  for (const [index, span] of spans.entries()) {
    if (index % PAUSE === PAUSE - 1) yield;
    byId.set(span.span_id, newNode(span, offsetOf(span.start_time) ?? 0));
  }
  yield* eachInSteps(byId.values(), (node) => {
    const { parent_span_id: parentId } = node.span;
    if (parentId !== null && parentId !== node.id) node.parent = byId.get(parentId);
  });
  yield* cutRings(byId.values());

  const roots: MutableNode[] = [];
  yield* eachInSteps(byId.values(), (node) => (node.parent?.children ?? roots).push(node));
  const nodes = yield* numberInOrder(roots);
  return { roots, nodes, byId, startTime, ...(yield* endOf(nodes)) };
}

function* endOf(nodes: readonly SpanNode[]): Steps<Pick<SpanTree, "endMs" | "isRunning">> {
  let [endOfRun, endOfAll] = [0, 0];
  let isRunning = false;
  yield* eachInSteps(nodes, ({ span, startMs, endMs }) => {
    endOfAll = Math.max(endOfAll, endMs ?? startMs);
    if (span.span_type !== "evaluation") endOfRun = Math.max(endOfRun, endMs ?? startMs);
    if (endMs === undefined) isRunning = true;
  });
  return { endMs: endOfRun || endOfAll, isRunning };
}

function newNode(span: NormalizedSpan, startMs: number): MutableNode {
  const isRunning = span.status === "RUNNING" && span.duration_ms === null;
  return {
    span,
    id: span.span_id,
    parent: undefined,
    children: [],
    agent: undefined,
    place: 0,
    lastPlace: 0,
    depth: 0,
    position: 1,
    siblings: 1,
    startMs,
    endMs: isRunning ? undefined : startMs + (span.duration_ms ?? 0),
  };
}

/** Breaks cycles: removes the parent of the first node of each. Every node is visited once. */
function* cutRings(nodes: Iterable<MutableNode>): Steps<void> {
  const done = new Set<MutableNode>();
  let walkedNodes = 0;
  for (const first of nodes) {
    const path = new Set<MutableNode>();
    let node: MutableNode | undefined = first;
    while (node !== undefined && !done.has(node) && !path.has(node)) {
      path.add(node);
      node = node.parent;
      if (++walkedNodes % PAUSE === 0) yield;
    }
    // The walk returned to its own path, so `node` is part of a cycle; the first of its nodes in display order becomes
    // a root.
    if (node !== undefined && path.has(node)) node.parent = undefined;
    for (const walked of path) done.add(walked);
  }
}

/** Sets places, depths and agents, and lists all nodes. Not recursive, because a chain may be thousands deep. */
function* numberInOrder(roots: MutableNode[]): Steps<MutableNode[]> {
  const ordered: MutableNode[] = [];
  const stack: MutableNode[] = [];
  let siblings = roots;
  let depth = 0;
  for (;;) {
    // From the last one on, which is popped last.
    for (const [index, node] of siblings.toReversed().entries()) {
      node.depth = depth;
      node.position = siblings.length - index;
      node.siblings = siblings.length;
      stack.push(node);
      if (index % PAUSE === PAUSE - 1) yield;
    }
    const next = stack.pop();
    if (next === undefined) break;
    const { parent } = next;
    next.agent = parent?.span.span_type === "agent" ? parent : parent?.agent;
    next.place = next.lastPlace = ordered.push(next) - 1;
    if (next.place % PAUSE === PAUSE - 1) yield;
    siblings = next.children;
    depth = next.depth + 1;
  }
  // From the end, because children stand after their parents.
  yield* eachInSteps(ordered.toReversed(), ({ parent, lastPlace }) => {
    if (parent !== undefined) parent.lastPlace = Math.max(parent.lastPlace, lastPlace);
  });
  return ordered;
}
