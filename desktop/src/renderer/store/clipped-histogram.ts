import type { Histogram } from "@obspan/collector-core/api-schema";

/** A histogram of the time in which nearly all traces started. */
export interface ClippedHistogram extends Histogram {
  /** Traces that started before its first bucket. */
  readonly older: number;
  /** Traces that started after its last bucket. */
  readonly newer: number;
}

/** Times in RFC 3339; the end is exclusive. */
export interface StartRange {
  readonly since?: string;
  readonly until?: string;
}

/** Of fewer traces, none is left out. */
const FEWEST_TRACES = 10;
/** Share of the traces that may be left out, but always one. */
const OUTLIERS = 0.05;
/** Traces are left out only if that makes the rest at least as many times wider. */
const WORTH = 4;
/** Each round shows the rest in finer buckets. A year becomes a second in four. */
const MAX_ROUNDS = 4;

/**
 * Fetches a histogram without outliers: one trace of last month would leave a single bar for the traces of today.
 *
 * @param chosen - the time range of the filters, which always stays visible.
 */
export async function fetchClipped(
  fetch: (range: StartRange) => Promise<Histogram>,
  chosen: StartRange,
): Promise<ClippedHistogram> {
  let range: StartRange = {};
  let histogram = await fetch(range);
  let [older, newer] = [0, 0];
  const { total } = histogram;
  const allowed = total < FEWEST_TRACES ? 0 : Math.max(1, Math.floor(total * OUTLIERS));
  for (let round = 0; round < MAX_ROUNDS && allowed > 0; round++) {
    const clip = clipOf(histogram, allowed - older - newer, chosen);
    if (clip === undefined) break;
    range = { ...range, ...clip.range };
    older += clip.older;
    newer += clip.newer;
    histogram = await fetch(range);
  }
  return { ...histogram, older, newer };
}

interface Clip {
  readonly range: StartRange;
  readonly older: number;
  readonly newer: number;
}

/** The range without up to so many traces at its ends; undefined if they are near the others. */
function clipOf(
  { buckets, bucket_ms: lengthMs }: Histogram,
  allowed: number,
  chosen: StartRange,
): Clip | undefined {
  if (lengthMs === null) return undefined;
  const counts = buckets.map(({ traces }) => traces);
  const start = widestGap(counts, allowed);
  const end = widestGap(counts.toReversed(), allowed);
  const first = start.end;
  const last = counts.length - 1 - end.end;
  const width = last - first + 1;
  if (width < 1 || width * WORTH > counts.length) return undefined;

  const startMs = (index: number): number => Date.parse(buckets[0]?.start ?? "") + index * lengthMs;
  const isChosen = (time: string | undefined, sign: 1 | -1, edgeMs: number): boolean =>
    time !== undefined && (Date.parse(time) - edgeMs) * sign > 0;
  const cutsStart = first > 0 && start.length > width && !isChosen(chosen.since, -1, startMs(first));
  const older = cutsStart ? sum(counts.slice(0, first)) : 0;
  // The ends share what may be left out.
  const beyond = sum(counts.slice(last + 1));
  const cutsEnd =
    end.end > 0 &&
    end.length > width &&
    older + beyond <= allowed &&
    !isChosen(chosen.until, 1, startMs(last + 1));
  if (!cutsStart && !cutsEnd) return undefined;
  return {
    range: {
      ...(cutsStart ? { since: new Date(startMs(first)).toISOString() } : {}),
      ...(cutsEnd ? { until: new Date(startMs(last + 1)).toISOString() } : {}),
    },
    older,
    newer: cutsEnd ? beyond : 0,
  };
}

/** The widest empty stretch with at most so many traces before it: its length, and the index of the bucket behind it. */
function widestGap(
  counts: readonly number[],
  allowed: number,
): { readonly length: number; readonly end: number } {
  let widest = { length: 0, end: 0 };
  let seen = 0;
  let before = -1;
  for (const [index, count] of counts.entries()) {
    if (count === 0) continue;
    if (seen > allowed) break;
    if (index - before > widest.length) widest = { length: index - before, end: index };
    before = index;
    seen += count;
  }
  return widest;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
