import { OTHER_LABEL_VALUE } from "../../api-schema/metrics.js";
import type { LiveMetrics, Stats } from "../../api-schema/stats.js";
import type { Clock } from "../../runtime/clock.js";
import { TimeSlice } from "../../runtime/time-slice.js";
import { createConcurrencyLimit } from "../../runtime/concurrency-limit.js";
import type { CounterHistory } from "./counter-history.js";
import type { OtherSteps } from "./other-steps.js";
import { floorTo, MINUTE_MS, STEP_SECONDS, type SpanStats } from "./span-stats.js";
import { CELL, CELLS, readCells } from "./stats-cells.js";
import { SeriesBuilder, toFigures } from "./stats-figures.js";
import type { RowLabel, StatsRow } from "./stats-rows.js";
import { StatsSums } from "./stats-sums.js";
import { addRow, rowReader, type StepBlock } from "./step-blocks.js";

/** A statistics query with a resolved window and step. */
export interface StatsRequest {
  readonly windowSeconds: number;
  /** A multiple of 60, or of 10 when the window is at most an hour. */
  readonly stepSeconds: number;
  readonly groupBy: RowLabel | undefined;
  /** Maximum number of groups. */
  readonly groups: number;
  /** Required label values. */
  readonly filters: Readonly<Partial<Record<RowLabel, string>>>;
}

/** Reads the rings of {@link SpanStats} and of {@link OtherSteps}, and the {@link CounterHistory}. */
export interface StatsReader {
  /**
   * Computes the statistics up to now, in time slices: a day with thousands of label sets takes long. Rejects with the
   * signal's reason when aborted.
   */
  read(request: StatsRequest, signal?: AbortSignal): Promise<Stats>;
  /** The current step, over all spans. */
  newest(): LiveMetrics;
}

/** Concurrent reads. More would not be faster, and each one holds up to a day of points. */
const MAX_READS = 2;

export function createStatsReader(
  stats: SpanStats,
  counters: CounterHistory,
  clock: Pick<Clock, "monotonic">,
  others?: OtherSteps,
): StatsReader {
  const { time, rows } = stats;
  const limited = createConcurrencyLimit(MAX_READS);

  async function read(
    { windowSeconds, stepSeconds, groupBy, groups: maxGroups, filters }: StatsRequest,
    signal: AbortSignal | undefined,
  ): Promise<Stats> {
    const timeSlice = new TimeSlice(clock, signal);
    if (timeSlice.isOver()) await timeSlice.next();
    stats.roll();
    const nowMs = time.now();
    const stepMs = stepSeconds * 1000;
    const points = Math.ceil(windowSeconds / stepSeconds);
    const startMs = floorTo(nowMs, stepMs) - (points - 1) * stepMs;
    const isCoarse = stepMs % MINUTE_MS === 0;
    // Mutable state is read within the first slice; blocks are immutable.
    const blocks = [
      ...stats.blocksFrom(startMs, isCoarse),
      ...(others?.blocksFrom(startMs, isCoarse) ?? []),
    ].sort((a, b) => a.startMs - b.startMs);
    const meta = {
      window_seconds: windowSeconds,
      step_seconds: stepSeconds,
      start: time.toWallClock(startMs),
      end: time.toWallClock(nowMs),
      points,
      kept_since: time.toWallClock(
        Math.max(
          stats.completeSinceMs(isCoarse, others?.oldestMs(isCoarse)),
          others?.completeSinceMs(isCoarse) ?? 0,
        ),
      ),
      group_by: groupBy ?? null,
    };
    const pipeline = counters.read(startMs, stepSeconds, points);

    const isChosen = rows.all.map((row) => matches(row, filters));
    const groups =
      groupBy === undefined
        ? NO_GROUPS
        : groupRows(
            rows.all,
            groupBy,
            await weighValues(blocks, rows.all, isChosen, groupBy, timeSlice),
            maxGroups,
          );

    const total = new SeriesBuilder();
    const builders = groups.values.map(() => new SeriesBuilder());
    let point = 0;
    const endPointsBefore = async (next: number): Promise<void> => {
      for (; point < next; point++) {
        for (const builder of [total, ...builders]) builder.endPoint();
        if (timeSlice.isOver()) await timeSlice.next();
      }
    };
    for (const block of blocks) {
      await endPointsBefore(Math.floor((block.startMs - startMs) / stepMs));
      for (const [place, id] of block.rows.entries()) {
        if (isChosen[id] !== true) continue;
        addRow(block, place, total.current);
        const builder = builders[groups.ofRow[id] ?? -1];
        if (builder !== undefined) addRow(block, place, builder.current);
      }
      if (timeSlice.isOver()) await timeSlice.next();
    }
    await endPointsBefore(points);

    const built: Stats["groups"] = [];
    for (const [index, builder] of builders.entries()) {
      built.push({ value: groups.values[index] ?? "", ...builder.build() });
      if (timeSlice.isOver()) await timeSlice.next();
    }
    return { ...meta, total: total.build(), groups: built, merged_groups: groups.merged, pipeline };
  }

  return {
    read: (request, signal) => limited(() => read(request, signal), signal),

    newest() {
      stats.roll();
      const startMs = stats.stepStartMs;
      const sums = new StatsSums();
      for (const block of stats.blocksFrom(startMs, false)) {
        for (const place of block.rows.keys()) addRow(block, place, sums);
      }
      return {
        start: time.toWallClock(startMs),
        step_seconds: STEP_SECONDS,
        elapsed_seconds: Math.round(time.now() - startMs) / 1000,
        total: toFigures(sums),
        pipeline: [...counters.current()],
      };
    },
  };
}

function matches({ labels }: StatsRow, filters: StatsRequest["filters"]): boolean {
  return Object.entries(filters).every(([label, value]) => labels[label as RowLabel] === value);
}

/** Assignment of rows to groups. */
interface Groups {
  /** The label value of each group. */
  readonly values: readonly string[];
  /** Index of the group of each row, by row id. */
  readonly ofRow: readonly number[];
  /** Number of values that are summed as `__other__`. */
  readonly merged: number;
}

const NO_GROUPS: Groups = { values: [], ofRow: [], merged: 0 };

/** Sums the weights of the rows by label value. */
async function weighValues(
  blocks: readonly StepBlock[],
  rows: readonly StatsRow[],
  isChosen: readonly boolean[],
  label: RowLabel,
  timeSlice: TimeSlice,
): Promise<ReadonlyMap<string, number>> {
  const weights = new Map<string, number>();
  const cells = new Float64Array(CELLS);
  for (const block of blocks) {
    for (const [place, id] of block.rows.entries()) {
      const value = rows[id]?.labels[label];
      if (value === undefined || isChosen[id] !== true) continue;
      cells.fill(0);
      readCells(cells, rowReader(block, place));
      weights.set(value, (weights.get(value) ?? 0) + weightOf(cells));
    }
    if (timeSlice.isOver()) await timeSlice.next();
  }
  return weights;
}

/** Groups the rows by a label: the `maxGroups` heaviest values, and the rest as `__other__`. */
function groupRows(
  rows: readonly StatsRow[],
  label: RowLabel,
  weights: ReadonlyMap<string, number>,
  maxGroups: number,
): Groups {
  const ranked = [...weights.entries()]
    .filter(([value]) => value !== OTHER_LABEL_VALUE)
    .sort(([a, weightA], [b, weightB]) => weightB - weightA || (a < b ? -1 : 1))
    .map(([value]) => value);
  const values = ranked.slice(0, maxGroups);
  const merged = ranked.length - values.length;
  if (merged > 0 || weights.has(OTHER_LABEL_VALUE)) values.push(OTHER_LABEL_VALUE);
  const places = new Map(values.map((value, place) => [value, place]));
  const rest = places.get(OTHER_LABEL_VALUE) ?? -1;
  return { values, ofRow: rows.map(({ labels }) => places.get(labels[label]) ?? rest), merged };
}

/** A single call outweighs any number of other spans. */
const CALL_WEIGHT = 1e9;

function weightOf(cells: Float64Array): number {
  const at = (cell: number): number => cells[cell] ?? 0;
  return (at(CELL.calls) + at(CELL.toolCalls) + at(CELL.scores)) * CALL_WEIGHT + at(CELL.spans);
}
