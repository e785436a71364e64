import type { ComparedStep } from "./compared-step.js";
import { stepKeys } from "./step-keys.js";
import { eachInSteps, sortedInSteps, type Steps } from "../in-steps.js";

/** Steps between two pauses. */
const PAUSE = 4096;

/**
 * Steps under one parent in order of start. Those of one type that all ran at the same time are ordered by what they did: which
 * of them starts first is chance, and differs between two equal runs.
 *
 * @param steps - in order of start.
 */
export function* siblingOrder(steps: readonly ComparedStep[]): Steps<ComparedStep[]> {
  const ordered: ComparedStep[] = [];
  let group: ComparedStep[] = [];
  /** The earliest end in the group. */
  let endMs = Number.POSITIVE_INFINITY;
  for (const [index, step] of steps.entries()) {
    if (index % PAUSE === PAUSE - 1) yield;
    const [first] = group;
    const isParallel =
      first !== undefined &&
      first.node.span.span_type === step.node.span.span_type &&
      step.node.startMs < endMs;
    if (!isParallel) {
      yield* addInOrder(group, ordered);
      group = [];
      endMs = Number.POSITIVE_INFINITY;
    }
    group.push(step);
    endMs = Math.min(endMs, step.node.endMs ?? Number.POSITIVE_INFINITY);
  }
  yield* addInOrder(group, ordered);
  return ordered;
}

/** All steps under one parent may have run at the same time. */
function* addInOrder(group: readonly ComparedStep[], ordered: ComparedStep[]): Steps<void> {
  if (group.length > 1) yield* eachInSteps(yield* sortedInSteps(group, byKey), (step) => ordered.push(step));
  else for (const step of group) ordered.push(step);
}

function byKey(a: ComparedStep, b: ComparedStep): number {
  for (const [level, key = ""] of stepKeys(a).entries()) {
    const other = stepKeys(b)[level] ?? "";
    if (key !== other) return key < other ? -1 : 1;
  }
  return 0;
}
