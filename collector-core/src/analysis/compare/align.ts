import { commonSubsequence, type IndexPair } from "./common-subsequence.js";
import { eachInSteps, sortedInSteps, type Steps } from "../in-steps.js";

/** The keys of an item, the strictest first. A level without a key matches nothing. */
export type LevelKeys = readonly (string | undefined)[];

/** Two items that belong together. */
export interface Match {
  readonly a: number;
  readonly b: number;
  /** The level whose keys are equal. */
  readonly level: number;
}

/** Items between two pauses. */
const PAUSE = 4096;
const GAPS_PAUSE = 256;

/** A part of both lists in which nothing is matched yet. */
interface Gap {
  readonly fromA: number;
  readonly toA: number;
  readonly fromB: number;
  readonly toB: number;
}

/**
 * Aligns two lists, in steps: first by the strictest keys, then what lies between these matches by the next ones. The order of
 * both lists is kept, and swapping them swaps the matches.
 */
export function* alignLists(a: readonly LevelKeys[], b: readonly LevelKeys[]): Steps<Match[]> {
  if (comesFirst(b, a)) {
    const swapped = yield* alignLists(b, a);
    return swapped.map(({ a: inB, b: inA, level }) => ({ a: inA, b: inB, level }));
  }
  const levels = (a[0] ?? b[0])?.length ?? 0;
  const numbers = new KeyNumbers();
  let gaps: readonly Gap[] = [{ fromA: 0, toA: a.length, fromB: 0, toB: b.length }];
  const matches: Match[] = [];
  for (let level = 0; level < levels; level++) {
    const smaller: Gap[] = [];
    for (const [index, gap] of gaps.entries()) {
      // Of very many gaps, each may be too small for a pause of its own.
      if (index % GAPS_PAUSE === GAPS_PAUSE - 1) yield;
      const pairs = yield* commonSubsequence(
        yield* numbers.of(a, gap.fromA, gap.toA, level),
        yield* numbers.of(b, gap.fromB, gap.toB, level),
      );
      yield* eachInSteps(pairs, ([inA, inB]) => {
        matches.push({ a: gap.fromA + inA, b: gap.fromB + inB, level });
      });
      yield* eachInSteps(gapsBetween(pairs, gap), (each) => smaller.push(each));
    }
    gaps = smaller;
  }
  return yield* sortedInSteps(matches, (x, y) => x.a - y.a);
}

/** The parts of a gap around pairs that have items on both sides. */
function gapsBetween(pairs: readonly IndexPair[], { fromA, toA, fromB, toB }: Gap): Gap[] {
  const gaps: Gap[] = [];
  let [nextA, nextB] = [fromA, fromB];
  for (const [inA, inB] of [...pairs, [toA - fromA, toB - fromB] as const]) {
    const gap = { fromA: nextA, toA: fromA + inA, fromB: nextB, toB: fromB + inB };
    if (gap.toA > gap.fromA && gap.toB > gap.fromB) gaps.push(gap);
    [nextA, nextB] = [gap.toA + 1, gap.toB + 1];
  }
  return gaps;
}

/** Numbers for keys, which are compared often. Missing keys all differ. */
class KeyNumbers {
  readonly #numbers = new Map<string, number>();
  #missing = 0;

  *of(items: readonly LevelKeys[], from: number, to: number, level: number): Steps<number[]> {
    const list: number[] = [];
    for (let index = from; index < to; index++) {
      if (list.length % PAUSE === PAUSE - 1) yield;
      list.push(this.#numberOf(items[index]?.[level]));
    }
    return list;
  }

  #numberOf(key: string | undefined): number {
    if (key === undefined) return --this.#missing;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(key, number);
    return number;
  }
}

/** One fixed order of two lists, so that ties are decided alike whichever comes first. */
function comesFirst(a: readonly LevelKeys[], b: readonly LevelKeys[]): boolean {
  if (a.length !== b.length) return a.length < b.length;
  for (const [index, keys] of a.entries())
    for (const [level, key = ""] of keys.entries()) {
      const other = b[index]?.[level] ?? "";
      if (key !== other) return key < other;
    }
  return false;
}
