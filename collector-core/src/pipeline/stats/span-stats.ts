import type { ClosedStep } from "../../interfaces.js";
import type { Clock } from "../../runtime/clock.js";
import { ERROR_CATEGORIES } from "../../span/error-category.js";
import type { SpanFacts } from "../../span/span-facts.js";
import type { Labels } from "../metrics/series.js";
import { BlockRing } from "./block-ring.js";
import { CLOSED_STEP_FORMAT, serializeStep } from "./closed-step.js";
import { restoreSteps, type RestoredSteps } from "./restore-steps.js";
import { addTo, CELL } from "./stats-cells.js";
import { StatsRows, type StatsRow } from "./stats-rows.js";
import { mergeBlocks, packBlock, type StepBlock } from "./step-blocks.js";
import { createStepClock, type StepClock } from "./step-clock.js";

/** Step lengths of the fine and the coarse ring (contract 3). */
export const STEP_SECONDS = 10;
export const MINUTE_SECONDS = 60;
export const STEP_MS = STEP_SECONDS * 1000;
export const MINUTE_MS = MINUTE_SECONDS * 1000;
/** Retention of the rings: an hour and a day, plus the partial step at the beginning. */
export const FINE_MS = 3600 * 1000 + STEP_MS;
export const COARSE_MS = 24 * 3600 * 1000 + MINUTE_MS;
/** Together with the rows of the current step and their sketches less than 64 MiB (contract 3). */
export const FINE_BYTES = 24 * 1024 * 1024;
export const COARSE_BYTES = 36 * 1024 * 1024;
const MAX_ROWS = 2000;

/** Options of {@link createSpanStats}. */
export interface SpanStatsOptions {
  readonly clock: Clock;
  /** Memory limits of the rings, in bytes. Default: 24 and 36 MiB. */
  readonly maxBytes?: { readonly fine: number; readonly coarse: number };
}

/**
 * Counts all spans, sampled or not, by step for the last hour and by minute for the last day (contract 3,
 * `GET /v1/stats`). Only the current step is mutable; a finished step is packed into an immutable block.
 */
export interface SpanStats {
  readonly time: StepClock;
  readonly rows: StatsRows;
  /** Closes finished steps. Call it before rows are written or read. */
  roll(): void;
  /** Marks a row as used in the current step and returns it. */
  touch(row: StatsRow): StatsRow;
  /**
   * The steps from `ms` on, oldest first, ending with the current step; with `isCoarse` finished minutes are merged. Two
   * blocks can have the same start: the current step and its first part.
   */
  blocksFrom(ms: number, isCoarse: boolean): readonly StepBlock[];
  /** Start of the current step. */
  readonly stepStartMs: number;
  /**
   * Start of the period without evicted steps.
   *
   * @param earlierMs - when other processes began to count, whose steps are read too.
   */
  completeSinceMs(isCoarse: boolean, earlierMs?: number): number;
  /**
   * Returns the steps and minutes that were closed since the last call, to be saved. A step that is returned again has
   * grown, and replaces the one saved before. Steps that are never taken cost nothing.
   *
   * @param options.includeCurrent - also the current step, because the process stops. Default: false.
   */
  takeClosed(options?: { readonly includeCurrent?: boolean }): ClosedStep[];
  /**
   * Adds steps that another process took. Ignores and counts steps that cannot be read or are too old.
   *
   * @param options.hasMore - true if more steps follow, older ones or coarser ones; {@link takeClosed} waits for the last
   * part. Default: false.
   */
  restore(steps: Iterable<ClosedStep>, options?: { readonly hasMore?: boolean }): RestoredSteps;
  /** Memory of the finished steps and of the current sketches. */
  readonly bytes: number;
}

export function createSpanStats({ clock, maxBytes }: SpanStatsOptions): SpanStats {
  const time = createStepClock(clock);
  const rows = new StatsRows(MAX_ROWS);
  const fine = new BlockRing({ maxBytes: maxBytes?.fine ?? FINE_BYTES });
  const coarse = new BlockRing({ maxBytes: maxBytes?.coarse ?? COARSE_BYTES });
  const startedAtMs = time.now();
  let touched: StatsRow[] = [];
  /** Start of the current step. */
  let stepStartMs = floorTo(startedAtMs, STEP_MS);
  let fineSinceMs = startedAtMs;
  let coarseSinceMs = startedAtMs;
  // A step without counts tells the next process since when this one has counted.
  fine.add(packBlock(stepStartMs, []));

  /** Moves the counts of the current step to the ring. */
  function packStep(): void {
    if (touched.length === 0) return;
    fine.add(packBlock(stepStartMs, touched));
    for (const row of touched) {
      row.cells.fill(0);
      row.isTouched = false;
    }
    rows.sketches.clear();
    touched = [];
  }

  function closeMinute(minuteMs: number): void {
    const blocks = fine.from(minuteMs, minuteMs + MINUTE_MS);
    if (blocks.length > 0) coarse.add(mergeBlocks(minuteMs, blocks));
  }

  /** Closes restored minutes that the other process did not. */
  function closeRestoredMinutes(): void {
    const currentMs = floorTo(stepStartMs, MINUTE_MS);
    const minutes = new Set(fine.from(0, currentMs).map(({ startMs }) => floorTo(startMs, MINUTE_MS)));
    for (const minuteMs of minutes) if (!coarse.has(minuteMs)) closeMinute(minuteMs);
  }

  function closedStep(stepSeconds: number, block: StepBlock): ClosedStep {
    return {
      resolutionSeconds: stepSeconds,
      startSeconds: block.startMs / 1000,
      format: CLOSED_STEP_FORMAT,
      data: serializeStep(block, rows),
    };
  }

  function roll(): void {
    const nowMs = time.now();
    if (nowMs < stepStartMs + STEP_MS) return;
    packStep();
    const minuteMs = floorTo(stepStartMs, MINUTE_MS);
    if (nowMs >= minuteMs + MINUTE_MS) closeMinute(minuteMs);
    stepStartMs = floorTo(nowMs, STEP_MS);
    fine.evictBefore(nowMs - FINE_MS);
    coarse.evictBefore(nowMs - COARSE_MS);
  }

  return {
    time,
    rows,
    roll,
    touch(row) {
      if (rows.sketches.isFull) packStep();
      if (!row.isTouched) {
        row.isTouched = true;
        touched.push(row);
      }
      return row;
    },
    blocksFrom(ms, isCoarse) {
      const current = packBlock(stepStartMs, touched);
      if (!isCoarse) return [...fine.from(ms), current];
      // The current minute exists only in the fine ring.
      const minuteMs = Math.max(ms, floorTo(stepStartMs, MINUTE_MS));
      return [...coarse.from(ms), ...fine.from(minuteMs), current];
    },
    get stepStartMs() {
      return stepStartMs;
    },
    completeSinceMs(isCoarse, earlierMs = Infinity) {
      const { evictedMs } = isCoarse ? coarse : fine;
      const retainedMs = time.now() - (isCoarse ? COARSE_MS : FINE_MS);
      const afterEvictedMs = evictedMs === undefined ? 0 : evictedMs + (isCoarse ? MINUTE_MS : STEP_MS);
      const sinceMs = Math.min(isCoarse ? coarseSinceMs : fineSinceMs, earlierMs);
      return Math.max(sinceMs, retainedMs, afterEvictedMs);
    },
    takeClosed({ includeCurrent = false } = {}) {
      roll();
      if (includeCurrent) packStep();
      return [
        ...fine
          .takeChanged(includeCurrent ? Infinity : stepStartMs)
          .map((block) => closedStep(STEP_SECONDS, block)),
        ...coarse.takeChanged(Infinity).map((block) => closedStep(MINUTE_SECONDS, block)),
      ];
    },
    restore(steps, { hasMore = false } = {}) {
      roll();
      const nowMs = time.now();
      const result = restoreSteps(steps, rows, [
        { ring: fine, stepMs: STEP_MS, fromMs: nowMs - FINE_MS, untilMs: stepStartMs },
        {
          ring: coarse,
          stepMs: MINUTE_MS,
          fromMs: nowMs - COARSE_MS,
          untilMs: floorTo(stepStartMs, MINUTE_MS) - MINUTE_MS,
        },
      ]);
      if (!hasMore) closeRestoredMinutes();
      fineSinceMs = Math.min(fineSinceMs, fine.oldestMs ?? Infinity);
      coarseSinceMs = Math.min(coarseSinceMs, coarse.oldestMs ?? Infinity, fineSinceMs);
      return result;
    },
    get bytes() {
      return fine.bytes + coarse.bytes + rows.sketches.bytes;
    },
  };
}

/** Rounds a time down to the start of its step. */
export function floorTo(ms: number, stepMs: number): number {
  return Math.floor(ms / stepMs) * stepMs;
}

/**
 * Counts a finished span in its row.
 *
 * @param countsUsage - false for a wrapper that repeats the usage of the inference inside it (contract 6).
 */
export function countSpan(row: StatsRow, facts: SpanFacts, countsUsage: boolean): void {
  const { cells } = row;
  addTo(cells, CELL.spans, 1);
  if (facts.durationMs !== undefined) row.addDuration(facts.durationMs);
  if (facts.ttftMs !== undefined) row.addTtft(facts.ttftMs);
  const isError = facts.status === "ERROR";
  if (facts.spanType === "tool") {
    addTo(cells, CELL.toolCalls, 1);
    if (isError) addTo(cells, CELL.toolErrors, 1);
  }
  if (facts.errorCategory !== "" && !facts.errorPropagated) {
    addTo(cells, CELL.errors + ERROR_CATEGORIES.indexOf(facts.errorCategory), 1);
  }
  if (!countsUsage) return;
  if (facts.spanType === "llm") {
    addTo(cells, CELL.calls, 1);
    if (isError) addTo(cells, CELL.callErrors, 1);
  }
  if (facts.tokensInput !== undefined) addTo(cells, CELL.tokensInput, facts.tokensInput);
  if (facts.tokensCached !== undefined) addTo(cells, CELL.tokensCached, facts.tokensCached);
  if (facts.costUsd !== undefined) {
    addTo(cells, CELL.costUsd, facts.costUsd);
    if (facts.costSource === "computed") addTo(cells, CELL.computedCostUsd, facts.costUsd);
  }
  if (facts.tokensOutput !== undefined) {
    addTo(cells, CELL.tokensOutput, facts.tokensOutput);
    if (facts.durationMs !== undefined && facts.tokensOutput > 0) {
      addTo(cells, CELL.timedTokens, facts.tokensOutput);
      addTo(cells, CELL.timedSeconds, facts.durationMs / 1000);
    }
  }
}

/** Counts the score of an evaluation in its row. */
export function countScore(stats: SpanStats, labels: Labels, evaluationType: string, score: number): void {
  // A score arrives long after the evaluated span, in a later step.
  stats.roll();
  const { cells } = stats.touch(stats.rows.resolve(labels, evaluationType));
  addTo(cells, CELL.scores, 1);
  addTo(cells, CELL.scoreSum, score);
}
