import { eachInSteps, mapInSteps, type Steps } from "../in-steps.js";

/** The last number of an increasing sequence, with the one before it. */
interface Link {
  readonly index: number;
  readonly place: number;
  readonly before: Link | undefined;
}

/**
 * Chooses at most one of the places of each item, so that the chosen places increase and are as many as possible.
 *
 * @param places - the possible places of each item, in order.
 * @returns the chosen place of each item; undefined if none.
 */
export function* longestIncreasing(places: readonly (readonly number[])[]): Steps<(number | undefined)[]> {
  // ends[n] ends the sequence of n + 1 places whose last place is the smallest.
  const ends: Link[] = [];
  yield* eachInSteps(places, (options, index) => {
    // From the last place on: two places of one item must not follow each other.
    for (const place of options.toReversed()) {
      const length = firstNotBelow(ends, place);
      ends[length] = { index, place, before: ends[length - 1] };
    }
  });
  const chosen = yield* mapInSteps(places, (): number | undefined => undefined);
  for (let link = ends.at(-1); link !== undefined; link = link.before) chosen[link.index] = link.place;
  return chosen;
}

/** The first of the ends whose place is not below a place. */
function firstNotBelow(ends: readonly Link[], place: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle]?.place ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}
