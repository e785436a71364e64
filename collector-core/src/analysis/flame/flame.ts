import { isFailure, isModelCall, numberOf } from "../attributes.js";
import { addUsage, NO_USAGE, type Usage } from "../leaf-usage.js";
import type { SpanNode, SpanTree } from "../span-tree.js";
import { addWeights, measuredSpans, NO_WEIGHTS, type MeasuredSpan, type Weights } from "./measured-spans.js";

/** Spans of the same type and name inside the same frame. */
export interface FlameFrame {
  /** The id of its first span. */
  readonly key: string;
  readonly name: string;
  readonly type: string;
  /** 0 for a root. */
  readonly depth: number;
  readonly parent: FlameFrame | undefined;
  /** In the order in which they first appear. */
  readonly children: readonly FlameFrame[];
  /** In order of start inside each span around them. */
  readonly nodes: readonly SpanNode[];
  /** The time is the sum of the durations; tokens and cost include those of the children. */
  readonly total: Weights;
  /** Without the children. */
  readonly own: Weights;
  /** Without the children. */
  readonly usage: Usage;
  /** Whether the collector computed the total cost, or a part of it. */
  readonly isComputed: boolean;
  /** Sum of the times to the first token. */
  readonly waitMs: number;
  readonly slowest: SpanNode;
  readonly slowestMs: number;
  /** Spans that failed by themselves. */
  readonly errors: number;
  readonly isRunning: boolean;
}

/** The spans of a run as frames, which show where time, tokens and cost went. */
export interface Flame {
  readonly roots: readonly FlameFrame[];
  /** Every frame, parents before children. */
  readonly frames: readonly FlameFrame[];
  /** By span id. Evaluations have none. */
  readonly frameOf: ReadonlyMap<string, FlameFrame>;
  readonly spans: readonly MeasuredSpan[];
  /** Sum of the roots. */
  readonly total: Weights;
  /** Sum of what the spans have without their children. */
  readonly own: Weights;
  /** Whether the collector computed the cost of the run, or a part of it. */
  readonly isComputed: boolean;
  /** From the first start to the last end. */
  readonly wallMs: number;
}

export interface FlameOptions {
  /** The assumed end of running spans, in milliseconds from the start of the trace. */
  readonly nowMs: number;
  /** Whether spans of the same type and name become one frame. */
  readonly mergesRepeats: boolean;
}

type OpenFrame = {
  -readonly [Key in Exclude<keyof FlameFrame, "parent" | "children" | "nodes">]: FlameFrame[Key];
} & {
  readonly parent: OpenFrame | undefined;
  readonly children: OpenFrame[];
  readonly nodes: SpanNode[];
  readonly byName: Map<string, OpenFrame>;
};

/** Merges the spans of a run into frames. */
export function flameOf(tree: SpanTree, { nowMs, mergesRepeats }: FlameOptions): Flame {
  const spans = measuredSpans(tree, nowMs);
  const roots: OpenFrame[] = [];
  const rootsByName = new Map<string, OpenFrame>();
  const frames: OpenFrame[] = [];
  const frameOf = new Map<string, OpenFrame>();
  for (const measured of spans) {
    const { node, parent } = measured;
    const around = parent === undefined ? undefined : frameOf.get(parent.id);
    const siblings = around?.byName ?? rootsByName;
    const key = mergesRepeats ? `${node.span.span_type} ${node.span.name}` : node.id;
    let frame = siblings.get(key);
    if (frame === undefined) {
      frame = newFrame(measured, around);
      siblings.set(key, frame);
      (around?.children ?? roots).push(frame);
      frames.push(frame);
    }
    addSpan(frame, measured);
    frameOf.set(node.id, frame);
  }
  // From the end, because children stand after their parents.
  for (const { parent, total, isComputed } of frames.toReversed()) {
    if (parent === undefined) continue;
    parent.isComputed ||= isComputed;
    parent.total = {
      time: parent.total.time,
      tokens: parent.total.tokens + total.tokens,
      cost: parent.total.cost + total.cost,
    };
  }
  return {
    roots,
    frames: inOrder(roots),
    frameOf,
    spans,
    total: roots.reduce((sum, { total }) => addWeights(sum, total), NO_WEIGHTS),
    own: spans.reduce((sum, { own }) => addWeights(sum, own), NO_WEIGHTS),
    isComputed: roots.some(({ isComputed }) => isComputed),
    wallMs: tree.isRunning ? Math.max(tree.endMs, nowMs) : tree.endMs,
  };
}

function newFrame({ node, durationMs }: MeasuredSpan, parent: OpenFrame | undefined): OpenFrame {
  return {
    key: node.id,
    name: node.span.name,
    type: node.span.span_type,
    depth: parent === undefined ? 0 : parent.depth + 1,
    parent,
    children: [],
    nodes: [],
    byName: new Map(),
    total: NO_WEIGHTS,
    own: NO_WEIGHTS,
    usage: NO_USAGE,
    isComputed: false,
    waitMs: 0,
    slowest: node,
    slowestMs: durationMs,
    errors: 0,
    isRunning: false,
  };
}

function addSpan(frame: OpenFrame, { node, durationMs, own, usage }: MeasuredSpan): void {
  const { span, endMs } = node;
  frame.nodes.push(node);
  frame.total = addWeights(frame.total, { ...own, time: durationMs });
  frame.own = addWeights(frame.own, own);
  frame.usage = addUsage(frame.usage, usage);
  frame.isComputed ||= usage.isComputed;
  const ttftMs = numberOf(span, "ttft_ms") ?? 0;
  if (isModelCall(span)) frame.waitMs += Math.min(Math.max(0, ttftMs), durationMs);
  if (durationMs > frame.slowestMs) {
    frame.slowest = node;
    frame.slowestMs = durationMs;
  }
  if (isFailure(span)) frame.errors++;
  if (endMs === undefined) frame.isRunning = true;
}

function inOrder(roots: readonly OpenFrame[]): OpenFrame[] {
  const ordered: OpenFrame[] = [];
  const stack = roots.toReversed();
  for (let frame = stack.pop(); frame !== undefined; frame = stack.pop()) {
    ordered.push(frame);
    // Not spread: there may be more children than arguments.
    for (const child of frame.children.toReversed()) stack.push(child);
  }
  return ordered;
}
