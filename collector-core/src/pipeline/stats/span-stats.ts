import type { Clock } from "../../runtime/clock.js";
import { ERROR_CATEGORIES } from "../../span/error-category.js";
import type { SpanFacts } from "../../span/span-facts.js";
import type { Labels } from "../metrics/series.js";
import { addTo, CELL, cellLayout, type CellLayout } from "./stats-cells.js";
import { StatsRows, type StatsRow } from "./stats-rows.js";
import { BlockRing, mergeBlocks, packBlock, type StepBlock } from "./step-blocks.js";
import { createStepClock, type StepClock } from "./step-clock.js";

/** Length of a step of the fine ring, and of the coarse one (contract 3). */
export const STEP_SECONDS = 10;
export const MINUTE_SECONDS = 60;
export const STEP_MS = STEP_SECONDS * 1000;
export const MINUTE_MS = MINUTE_SECONDS * 1000;
/** How far back the rings go: an hour and a day, and the step that began before. */
export const FINE_MS = 3600 * 1000 + STEP_MS;
export const COARSE_MS = 24 * 3600 * 1000 + MINUTE_MS;
/** Together less than 64 MiB (contract 3), the rows under way included. */
const FINE_BYTES = 24 * 1024 * 1024;
const COARSE_BYTES = 36 * 1024 * 1024;
const MAX_ROWS = 2000;

/** What {@link createSpanStats} needs. */
export interface SpanStatsOptions {
  readonly clock: Clock;
  /** `histograms.duration_buckets`, in seconds. */
  readonly durationBuckets: readonly number[];
  /** Memory of both rings, in bytes. Default: 24 and 36 MiB. */
  readonly maxBytes?: { readonly fine: number; readonly coarse: number };
}

/**
 * What spans did in each step of the last hour and each minute of the last day (contract 3, `GET /v1/stats`): of every
 * span, whatever sampling says. Only the step under way is written to; a step that is over is packed.
 */
export interface SpanStats {
  readonly layout: CellLayout;
  readonly time: StepClock;
  readonly rows: StatsRows;
  /** Ends the steps that are over. Call it before rows are written or read. */
  roll(): void;
  /** The cells of a row in the step under way. */
  touch(row: StatsRow): Float64Array;
  /** All steps that began then or later, oldest first, the one under way last; minutes where `isCoarse`. */
  blocksFrom(ms: number, isCoarse: boolean): readonly StepBlock[];
  /** The step under way. */
  underWay(): StepBlock;
  /** Since when nothing is missing. */
  keptSinceMs(isCoarse: boolean): number;
  /** Memory that the steps take that are over. */
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
  /** When the step under way began. */
  let stepStartMs = floorTo(startedAtMs, STEP_MS);

  const underWay = (): StepBlock => packBlock(stepStartMs, touched);

  function closeStep(): void {
    if (touched.length === 0) return;
    fine.push(underWay());
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
      fine.forgetBefore(nowMs - FINE_MS);
      coarse.forgetBefore(nowMs - COARSE_MS);
    },
    touch(row) {
      if (!row.isTouched) {
        row.isTouched = true;
        touched.push(row);
      }
      return row.cells;
    },
    blocksFrom(ms, isCoarse) {
      if (!isCoarse) return [...fine.from(ms), underWay()];
      // The minute under way is still in the fine ring alone.
      const minuteMs = Math.max(ms, floorTo(stepStartMs, MINUTE_MS));
      return [...coarse.from(ms), ...fine.from(minuteMs), underWay()];
    },
    underWay,
    keptSinceMs(isCoarse) {
      const lostMs = (isCoarse ? coarse : fine).lostMs;
      const reachMs = time.now() - (isCoarse ? COARSE_MS : FINE_MS);
      const keptMs = lostMs === undefined ? 0 : lostMs + (isCoarse ? MINUTE_MS : STEP_MS);
      return Math.max(startedAtMs, reachMs, keptMs);
    },
    get bytes() {
      return fine.bytes + coarse.bytes;
    },
  };
}

/** The last whole step before a time. */
export function floorTo(ms: number, stepMs: number): number {
  return Math.floor(ms / stepMs) * stepMs;
}

/**
 * Counts a span that ended in its row.
 *
 * @param countsUsage - false for a wrapper that repeats the usage of the inference inside it (contract 6).
 * @param durationBucket - where the histograms put its duration, -1 where it has none; so the next.
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
  // It comes by itself, long after the span that it judges.
  stats.roll();
  const cells = stats.touch(stats.rows.resolve(labels, evaluationType));
  addTo(cells, CELL.scores, 1);
  addTo(cells, CELL.scoreSum, score);
}
