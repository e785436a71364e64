/** One line of a chart. */
export interface ChartSeries {
  readonly name: string;
  /** Shown at the end of the line instead of the name, if set. */
  readonly label?: string;
  /** One value per point; null if there is none. */
  readonly values: readonly (number | null)[];
  /** Index of the colour, starting at 0. */
  readonly colour: number;
  /** Dashes tell lines apart where colours do not. */
  readonly dash?: readonly number[];
  readonly isFilled?: boolean;
}

/** Stacks the values of the series, starting with the lowest line. */
export function stack(series: readonly ChartSeries[]): ChartSeries[] {
  let below: readonly (number | null)[] = [];
  return series.map((each) => {
    const values = each.values.map((value, index) => (value === null ? null : value + (below[index] ?? 0)));
    below = values;
    return { ...each, values };
  });
}

/** Points without a neighbour. They are drawn as dots, because a line needs two points. */
export function lonePoints(values: readonly (number | null | undefined)[]): number[] {
  const lone: number[] = [];
  for (const [index, value] of values.entries()) {
    if (value != null && values[index - 1] == null && values[index + 1] == null) lone.push(index);
  }
  return lone;
}

/** The last point of a line; its name is drawn there. */
export function lastPoint(values: readonly (number | null | undefined)[]): number | undefined {
  const index = values.findLastIndex((value) => value != null);
  return index < 0 ? undefined : index;
}

/**
 * Moves overlapping labels apart: downwards first, then back up if the last one would leave the chart.
 *
 * @param wanted - the preferred position of each label, in any order.
 * @returns the final positions, in the same order.
 */
export function spreadLabels(wanted: readonly number[], height: number, bottom: number): number[] {
  const order = wanted.map((_, index) => index).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  const placed = [...wanted];
  let free = -Infinity;
  for (const index of order) {
    placed[index] = Math.max(placed[index] ?? 0, free);
    free = (placed[index] ?? 0) + height;
  }
  let limit = bottom;
  for (const index of order.toReversed()) {
    placed[index] = Math.min(placed[index] ?? 0, limit);
    limit = (placed[index] ?? 0) - height;
  }
  return placed;
}

/** Where a line ends, in pixels from above. */
export interface LineEnd {
  readonly each: ChartSeries;
  readonly y: number;
}

/** The order of the names at the ends of lines, from above: of two that end at one value, the line that rises higher. */
export function byEnd(a: LineEnd, b: LineEnd): number {
  return a.y - b.y || highestOf(b.each) - highestOf(a.each);
}

function highestOf({ values }: ChartSeries): number {
  return values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
}

/** The colour of the line with this number, as CSS. */
export function seriesColour(number: number): string {
  return `var(--series-${number + 1})`;
}
