/**
 * The digit counts of adjacent digit groups in a text, as a bit set: bit n is set when adjacent groups, with only
 * separators in between, have n digits in total. Bit 0 is always set, and bit 31 means 31 or more. `2026-11-21` has
 * groups of 4, 2 and 2, and thus the sums 2, 4, 6 and 8. It cannot contain a number of seven digits.
 */
export type DigitSums = number;

const MOST = 31;

/** Returns the set of the given sums. */
export function sumsOf(...counts: readonly number[]): DigitSums {
  return counts.reduce((sums, count) => sums | (1 << count), 0);
}

/** Returns the set of all sums from `count` on. */
export function atLeast(count: number): DigitSums {
  return -1 << count;
}

/** The set of all sums. */
export const ANY_DIGITS: DigitSums = atLeast(0);

/** Separators between the groups of a number. */
const IS_SEPARATOR = new Uint8Array(0x10000);
for (const separator of "-./() \u00a0") IS_SEPARATOR[separator.charCodeAt(0)] = 1;
/** Maximum separators in a row, such as `) -`. */
const MAX_SEPARATORS = 3;

/**
 * Returns the sums that end with a group of digits: the group alone, and the group with adjacent groups before it.
 *
 * @param joined - the sums that end with the previous group; 0 when it is not adjacent.
 */
export function sumsEndingWith(count: number, joined: DigitSums): DigitSums {
  // Adds the digits to each sum. Sums beyond 31 are lost, but a subset of their groups is still in the set.
  return (joined | 1) << (count < MOST ? count : MOST);
}

/** True when only a few separators are between two groups of digits. */
export function areSeparators(codes: Uint16Array, start: number, end: number): boolean {
  if (end - start > MAX_SEPARATORS) return false;
  for (let at = start; at < end; at++) if (IS_SEPARATOR[codes[at] as number] !== 1) return false;
  return true;
}
