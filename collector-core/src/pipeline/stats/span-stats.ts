import type { Clock } from "../../runtime/clock.js";
import { ERROR_CATEGORIES } from "../../span/error-category.js";
import type { SpanFacts } from "../../span/span-facts.js";
import type { Labels } from "../metrics/series.js";
import { addTo, CELL, cellLayout, type CellLayout } from "./stats-cells.js";
import { StatsRows, type StatsRow } from "./stats-rows.js";
import { BlockRing, mergeBlocks, packBlock, type StepBlock } from "./step-blocks.js";
import { createStepClock, type StepClock } from "./step-clock.js";

/** Step lengths of the fine and the coarse ring (contract 3). */
export const STEP_SECONDS = 10;
export const MINUTE_SECONDS = 60;
export const STEP_MS = STEP_SECONDS * 1000;
export const MINUTE_MS = MINUTE_SECONDS * 1000;
/** Retention of the rings: an hour and a day, plus the partial step at the beginning. */
export const FINE_MS = 3600 * 1000 + STEP_MS;
export const COARSE_MS = 24 * 3600 * 1000 + MINUTE_MS;
/** Together with the rows of the current step less than 64 MiB (contract 3). */
const FINE_BYTES = 24 * 1024 * 1024;
const COARSE_BYTES = 36 * 1024 * 1024;
const MAX_ROWS = 2000;

/** Options of {@link createSpanStats}. */
export interface SpanStatsOptions {
  readonly clock: Clock;
  /** `histograms.duration_buckets`, in seconds. */
  readonly durationBuckets: readonly number[];
  /** Memory limits of the rings, in bytes. Default: 24 and 36 MiB. */
  readonly maxBytes?: { readonly fine: number; readonly coarse: number };
}

/**
 * Counts all spans, sampled or not, by step for the last hour and by minute for the last day (contract 3,
 * `GET /v1/stats`). Only the current step is mutable; a finished step is packed into an immutable block.
 */
export interface SpanStats {
  readonly layout: CellLayout;
  readonly time: StepClock;
  readonly rows: StatsRows;
  /** Closes finished steps. Call it before rows are written or read. */
  roll(): void;
  /** Marks a row as used in the current step and returns its cells. */
  touch(row: StatsRow): Float64Array;
  /**
   * The steps from `ms` on, oldest first, ending with the current step; with `isCoarse` finished minutes are merged.
   */
  blocksFrom(ms: number, isCoarse: boolean): readonly StepBlock[];
  /** A copy of the current step. */
  currentStep(): StepBlock;
  /** Start of the period without evicted steps. */
  completeSinceMs(isCoarse: boolean): number;
  /** Memory of the finished steps. */
  readonly bytes: number;
}

export function createSpanStats({ clock, durationBuckets, maxBytes }: SpanStatsOptions): SpanStats {
  const layout = cellLayout(durationBuckets);
  const time = createStepClock(clock);
  const rows = new StatsRows(MAX_ROWS, layout.size);
  const fine = new BlockRing({ maxBytes: maxBytes?.fine ?? FINE_BYTES });
  const coarse = new BlockRing({ maxBytes: maxBytes?.coarse ?? COARSE_BYTES });
  const startedAtMs = time.now();
  let touched: StatsRow[] = [];
  /** Start of the current step. */
  let stepStartMs = floorTo(startedAtMs, STEP_MS);

  const currentStep = (): StepBlock => packBlock(stepStartMs, touched);

  function closeStep(): void {
    if (touched.length === 0) return;
    fine.push(currentStep());
    for (const row of touched) {
      row.cells.fill(0);
      row.isTouched = false;
    }
    touched = [];
  }

  function closeMinute(minuteMs: number): void {
    const blocks = fine.from(minuteMs);
    if (blocks.length > 0) coarse.push(mergeBlocks(minuteMs, blocks, layout.size));
  }

  return {
    layout,
    time,
    rows,
    roll() {
      const nowMs = time.now();
      if (nowMs < stepStartMs + STEP_MS) return;
      closeStep();
      const minuteMs = floorTo(stepStartMs, MINUTE_MS);
      if (nowMs >= minuteMs + MINUTE_MS) closeMinute(minuteMs);
      stepStartMs = floorTo(nowMs, STEP_MS);
      fine.evictBefore(nowMs - FINE_MS);
      coarse.evictBefore(nowMs - COARSE_MS);
    },
    touch(row) {
      if (!row.isTouched) {
        row.isTouched = true;
        touched.push(row);
      }
      return row.cells;
    },
    blocksFrom(ms, isCoarse) {
      if (!isCoarse) return [...fine.from(ms), currentStep()];
      // The current minute exists only in the fine ring.
      const minuteMs = Math.max(ms, floorTo(stepStartMs, MINUTE_MS));
      return [...coarse.from(ms), ...fine.from(minuteMs), currentStep()];
    },
    currentStep,
    completeSinceMs(isCoarse) {
      const { evictedMs } = isCoarse ? coarse : fine;
      const retainedMs = time.now() - (isCoarse ? COARSE_MS : FINE_MS);
      const afterEvictedMs = evictedMs === undefined ? 0 : evictedMs + (isCoarse ? MINUTE_MS : STEP_MS);
      return Math.max(startedAtMs, retainedMs, afterEvictedMs);
    },
    get bytes() {
      return fine.bytes + coarse.bytes;
    },
  };
}

/** Rounds a time down to the start of its step. */
export function floorTo(ms: number, stepMs: number): number {
  return Math.floor(ms / stepMs) * stepMs;
}

/**
 * Counts a finished span in the cells of its row.
 *
 * @param countsUsage - false for a wrapper that repeats the usage of the inference inside it (contract 6).
 * @param durationBucket - histogram bucket of the duration, -1 without a duration.
 * @param ttftBucket - histogram bucket of the time to first token, -1 without one.
 */
export function countSpan(
  cells: Float64Array,
  layout: CellLayout,
  facts: SpanFacts,
  countsUsage: boolean,
  durationBucket: number,
  ttftBucket: number,
): void {
  addTo(cells, CELL.spans, 1);
  if (durationBucket >= 0) addTo(cells, layout.duration + durationBucket, 1);
  if (ttftBucket >= 0) addTo(cells, layout.ttft + ttftBucket, 1);
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
  if (facts.costUsd !== undefined) addTo(cells, CELL.costUsd, facts.costUsd);
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
  const cells = stats.touch(stats.rows.resolve(labels, evaluationType));
  addTo(cells, CELL.scores, 1);
  addTo(cells, CELL.scoreSum, score);
}
