import type { TraceSummary } from "../../api-schema/trace.js";
import type { Run } from "../run.js";
import { alignLists, type LevelKeys } from "./align.js";
import type { ComparedStep } from "./compared-step.js";
import { differencesOf, type Difference } from "./differences.js";
import { deltaOf, deltasOf, figuresOf, figuresOfTrace, type Delta, type Deltas } from "./figures.js";
import { eachInSteps, runSteps, type Steps } from "../in-steps.js";
import { comparedSteps } from "./step-sequence.js";
import { MATCHED_BY, stepKeys, type MatchedBy } from "./step-keys.js";
import { ShareBudget, type FullText } from "./text-share.js";

/** A run with its summary. */
export interface RunOfTrace {
  readonly trace: TraceSummary;
  readonly run: Run;
}

/** A step of one run beside the step of the other run that it belongs to. */
export interface StepPair {
  /** Undefined if only the second run has it. */
  readonly a: ComparedStep | undefined;
  readonly b: ComparedStep | undefined;
  /** Undefined for a step that only one run has. */
  readonly matchedBy: MatchedBy | undefined;
  /** Empty for a step that only one run has. */
  readonly differences: readonly Difference[];
  /** Words of both outputs that differ, from 0 to 1; undefined if they are equal, or are no texts. */
  readonly changedShare: number | undefined;
  readonly deltas: Deltas;
}

/** A score of both runs. */
export interface ScoreDelta extends Delta {
  readonly type: string;
}

/** Two runs beside each other. */
export interface Comparison {
  readonly a: TraceSummary;
  readonly b: TraceSummary;
  readonly deltas: Omit<Deltas, "tokens_cached">;
  readonly errors: Delta;
  /** Types that one of the runs has, those of both first. */
  readonly scores: readonly ScoreDelta[];
  /** Every step of both runs once, in the order of both. */
  readonly pairs: readonly StepPair[];
  /** The index of the first pair whose input or result differs; undefined if none does. */
  readonly firstDivergence: number | undefined;
}

/** Pairs between two pauses. */
const PAUSE = 32;

/**
 * Compares two runs, in steps: their steps beside each other, what differs in each, and the differences of their figures.
 * Steps belong together that did the same, then those of the same name and agent, then model calls in the same place.
 *
 * @param fullText - the text that a placeholder in the spans stands for.
 */
export function* compareInSteps(a: RunOfTrace, b: RunOfTrace, fullText?: FullText): Steps<Comparison> {
  const [stepsA, stepsB] = [yield* comparedSteps(a.run), yield* comparedSteps(b.run)];
  const matches = yield* alignLists(yield* keysOf(stepsA), yield* keysOf(stepsB));
  const budget = new ShareBudget(fullText);
  const pairs: StepPair[] = [];
  let [nextA, nextB] = [0, 0];
  function* addUpTo(toA: number, toB: number): Steps<void> {
    yield* eachInSteps(stepsA.slice(nextA, toA), (step) => pairs.push(single(step, undefined)));
    yield* eachInSteps(stepsB.slice(nextB, toB), (step) => pairs.push(single(undefined, step)));
    [nextA, nextB] = [toA, toB];
  }
  for (const [index, { a: atA, b: atB, level }] of matches.entries()) {
    yield* addUpTo(atA, atB);
    const [inA, inB] = [stepsA[atA], stepsB[atB]];
    if (inA === undefined || inB === undefined) continue;
    const pair = pairOf(inA, inB, MATCHED_BY[level], budget);
    pairs.push(pair);
    // The words of two texts may take as long as a whole slice.
    if (index % PAUSE === PAUSE - 1 || pair.changedShare !== undefined) yield;
    [nextA, nextB] = [atA + 1, atB + 1];
  }
  yield* addUpTo(stepsA.length, stepsB.length);
  const divergence = pairs.findIndex((pair) => isDifferent(pair));
  return {
    a: a.trace,
    b: b.trace,
    deltas: totals(a.trace, b.trace),
    errors: deltaOf(a.trace.error_count, b.trace.error_count),
    scores: scoresOf(a.trace, b.trace),
    pairs,
    firstDivergence: divergence === -1 ? undefined : divergence,
  };
}

function* keysOf(steps: readonly ComparedStep[]): Steps<LevelKeys[]> {
  const keys: LevelKeys[] = [];
  for (const [index, step] of steps.entries()) {
    if (index % PAUSE === PAUSE - 1) yield;
    keys.push(stepKeys(step));
  }
  return keys;
}

/** The same at once. */
export function compareRuns(a: RunOfTrace, b: RunOfTrace): Comparison {
  return runSteps(compareInSteps(a, b));
}

/** Whether a pair is a difference of the runs: one of them does not have the step, or its input or result differs. */
export function isDifferent({ a, b, differences }: StepPair): boolean {
  return a === undefined || b === undefined || differences.length > 0;
}

function pairOf(
  a: ComparedStep,
  b: ComparedStep,
  matchedBy: MatchedBy | undefined,
  budget: ShareBudget,
): StepPair {
  const differences = differencesOf(a, b);
  return {
    a,
    b,
    matchedBy,
    differences,
    changedShare: differences.includes("output") ? budget.shareOf(a, b) : undefined,
    deltas: deltasOf(figuresOf(a), figuresOf(b)),
  };
}

function single(a: ComparedStep | undefined, b: ComparedStep | undefined): StepPair {
  return {
    a,
    b,
    matchedBy: undefined,
    differences: [],
    changedShare: undefined,
    deltas: deltasOf(a && figuresOf(a), b && figuresOf(b)),
  };
}

function totals(a: TraceSummary, b: TraceSummary): Comparison["deltas"] {
  const { tokens_cached: _unknown, ...deltas } = deltasOf(
    { ...figuresOfTrace(a), tokens_cached: null },
    { ...figuresOfTrace(b), tokens_cached: null },
  );
  return deltas;
}

function scoresOf(a: TraceSummary, b: TraceSummary): ScoreDelta[] {
  const [inA, inB] = [a, b].map(({ scores }) => new Map(scores.map(({ type, score }) => [type, score])));
  const types = new Set([...(inA?.keys() ?? []), ...(inB?.keys() ?? [])]);
  const deltas = [...types].map((type) => ({
    type,
    ...deltaOf(inA?.get(type) ?? null, inB?.get(type) ?? null),
  }));
  return [...deltas.filter(({ delta }) => delta !== null), ...deltas.filter(({ delta }) => delta === null)];
}
