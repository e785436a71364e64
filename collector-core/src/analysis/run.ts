import type { NormalizedSpan } from "../api-schema/trace.js";
import { eachInSteps, runSteps, type Steps } from "./in-steps.js";
import { modelCallsInSteps, type ModelCall } from "./model-calls.js";
import { repeatsInSteps, type Repeat } from "./repeats.js";
import { spanTreeInSteps, type SpanNode, type SpanTree } from "./span-tree.js";
import { stepHintsInSteps } from "./step-hints.js";
import { stepsOf } from "./steps.js";
import { toolUsesInSteps, type ToolUse } from "./tool-uses.js";

/** A trace as the run of a program: its model calls, the tools that it used, and its steps. */
export interface Run {
  readonly tree: SpanTree;
  readonly calls: readonly ModelCall[];
  readonly uses: readonly ToolUse[];
  readonly repeats: ReadonlyMap<ToolUse, Repeat>;
  /** The same by span id. */
  readonly repeatsBySpan: ReadonlyMap<string, Repeat>;
  /** In order of start. */
  readonly steps: readonly SpanNode[];
  /** The number of a step, by span id. The first is 1. */
  readonly numbers: ReadonlyMap<string, number>;
  /** What tells steps of the same name apart, by span id. */
  readonly hints: ReadonlyMap<string, string>;
}

/** The model call that a span is, or wraps. */
export function modelCallOf({ calls }: Pick<Run, "calls">, spanId: string): ModelCall | undefined {
  return calls.find(({ sources }) => sources.some(({ span_id: id }) => id === spanId));
}

/** Reads a trace as a run. */
export function readRun(tree: SpanTree): Run {
  return runSteps(readRunInSteps(tree));
}

/** Reads the spans of a trace as a run, with pauses. @param spans - in order of start. */
export function* readSpansInSteps(spans: readonly NormalizedSpan[]): Steps<Run> {
  return yield* readRunInSteps(yield* spanTreeInSteps(spans));
}

/** Reads a trace as a run, with pauses: it may have very many spans. */
export function* readRunInSteps(tree: SpanTree): Steps<Run> {
  const calls = yield* modelCallsInSteps(tree);
  const uses = yield* toolUsesInSteps(tree, calls);
  const actions = new Set<SpanNode>();
  yield* eachInSteps(calls, ({ node }) => actions.add(node));
  yield* eachInSteps(uses, ({ call, node }) => call !== undefined && node !== undefined && actions.add(node));
  const { list, numbers } = yield* stepsOf(tree, actions);
  const repeats = yield* repeatsInSteps(uses);
  const repeatsBySpan = new Map<string, Repeat>();
  yield* eachInSteps(repeats, ([{ node }, repeat]) => node && repeatsBySpan.set(node.id, repeat));
  return {
    tree,
    calls,
    uses,
    repeats,
    repeatsBySpan,
    steps: list,
    numbers,
    hints: yield* stepHintsInSteps(list, calls, uses),
  };
}
