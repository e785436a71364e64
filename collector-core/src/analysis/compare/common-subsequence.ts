import { eachInSteps, type Steps } from "../in-steps.js";

/** Places that are tried for all items together: bounds the work where a key occurs very often. */
const MAX_PLACES = 262_144;
/** Items between two pauses. */
const PAUSE = 1024;

/** The index of an item in each of two lists. */
export type IndexPair = readonly [a: number, b: number];

/**
 * A longest common subsequence of two lists of keys, in steps. Exact where keys are rare; a key that occurs very often is only
 * looked for near the same occurrence of the other list, so that the work does not grow with the square of the lists.
 */
export function* commonSubsequence(a: readonly number[], b: readonly number[]): Steps<IndexPair[]> {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const pairs: IndexPair[] = [];
  for (let index = 0; index < start; index++) pairs.push([index, index]);
  const middle = yield* commonInside(a.slice(start, a.length - end), b.slice(start, b.length - end));
  for (const [inA, inB] of middle) pairs.push([start + inA, start + inB]);
  for (let index = end; index > 0; index--) pairs.push([a.length - index, b.length - index]);
  return pairs;
}

/** The places of a key in both lists. */
interface Occurrences {
  readonly inB: number[];
  inA: number;
  /** Occurrences in the first list that were read. */
  seen: number;
}

function* commonInside(a: readonly number[], b: readonly number[]): Steps<IndexPair[]> {
  if (a.length === 0 || b.length === 0) return [];
  const occurrences = yield* occurrencesOf(a, b);
  const most = Math.max(1, Math.floor(MAX_PLACES / a.length));
  // ends[n] is the link that ends a sequence of n + 1 pairs with the smallest place.
  const ends: number[] = [];
  const items: number[] = [];
  const places: number[] = [];
  const before: number[] = [];
  for (const [item, key] of a.entries()) {
    if (item % PAUSE === PAUSE - 1) yield;
    const known = occurrences.get(key);
    if (known === undefined || known.inB.length === 0) continue;
    const options = nearestPlaces(known, most);
    // From the last place on: two places of one item must not follow each other.
    for (let index = options.length - 1; index >= 0; index--) {
      const place = options[index] ?? 0;
      const length = firstNotBelow(ends, places, place);
      // Of equal places the link of the earlier item stays.
      if (length < ends.length && places[ends[length] ?? 0] === place) continue;
      before.push(length === 0 ? -1 : (ends[length - 1] ?? -1));
      ends[length] = items.push(item) - 1;
      places.push(place);
    }
  }
  const pairs: IndexPair[] = [];
  for (let link = ends.at(-1) ?? -1; link !== -1; link = before[link] ?? -1)
    pairs.push([items[link] ?? 0, places[link] ?? 0]);
  return pairs.reverse();
}

function* occurrencesOf(a: readonly number[], b: readonly number[]): Steps<Map<number, Occurrences>> {
  const occurrences = new Map<number, Occurrences>();
  yield* eachInSteps(a, (key) => {
    const known = occurrences.get(key);
    if (known === undefined) occurrences.set(key, { inB: [], inA: 1, seen: 0 });
    else known.inA++;
  });
  yield* eachInSteps(b, (key, place) => occurrences.get(key)?.inB.push(place));
  return occurrences;
}

/** The places of the next occurrence of a key: all, or those around the same occurrence. */
function nearestPlaces(known: Occurrences, most: number): readonly number[] {
  const rank = known.seen++;
  const { inA, inB } = known;
  if (inB.length <= most) return inB;
  const middle = Math.floor((rank * inB.length) / inA);
  const from = Math.max(0, Math.min(inB.length - most, middle - (most >> 1)));
  return inB.slice(from, from + most);
}

/** The first of the ends whose place is not below a place. */
function firstNotBelow(ends: readonly number[], places: readonly number[], place: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[ends[middle] ?? 0] ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}
