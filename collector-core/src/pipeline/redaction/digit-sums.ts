/**
 * Which numbers of digits stand together somewhere in a text: bit n where whole groups of them, with nothing but
 * separators in between, have n digits. Bit 0 is always set, and bit 31 stands for a group of 31 or more.
 * `2026-11-21` has groups of 4, 2 and 2, and so the sums 2, 4, 6 and 8: nothing that has seven digits can be in it.
 */
export type DigitSums = number;

const MOST = 31;

/** The sums that are named. */
export function sumsOf(...counts: readonly number[]): DigitSums {
  return counts.reduce((sums, count) => sums | (1 << count), 0);
}

/** So many or more. */
export function atLeast(count: number): DigitSums {
  return -1 << count;
}

/** No matter how many. */
export const ANY_DIGITS: DigitSums = atLeast(0);

/** What stands between the groups of a number, and how many may in a row: `) - `. */
const IS_SEPARATOR = new Uint8Array(0x10000);
for (const separator of "-./() \u00a0") IS_SEPARATOR[separator.charCodeAt(0)] = 1;
const MAX_SEPARATORS = 3;

/**
 * The sums of the groups that end with a group of digits: of it alone, and with those before it that belong to it.
 *
 * @param joined - the sums that end with the group before; 0 where there is none that belongs to it.
 */
export function sumsEndingWith(count: number, joined: DigitSums): DigitSums {
  // One more group: each sum grows by its digits. What grows beyond 31 has a part that does not.
  return (joined | 1) << (count < MOST ? count : MOST);
}

/** True where nothing but a few separators stands between two groups of digits. */
export function areSeparators(codes: Uint16Array, start: number, end: number): boolean {
  if (end - start > MAX_SEPARATORS) return false;
  for (let at = start; at < end; at++) if (IS_SEPARATOR[codes[at] as number] !== 1) return false;
  return true;
}
