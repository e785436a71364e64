/** Checksums of card, account and identity numbers. The input has no separators. */

/** Returns the values of the digits in a text. */
export function digitsOf(text: string): number[] {
  const digits: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const value = text.charCodeAt(at) - 0x30;
    if (value >= 0 && value <= 9) digits.push(value);
  }
  return digits;
}

/** Luhn algorithm: card numbers and some identity numbers. */
export function passesLuhn(text: string): boolean {
  let sum = 0;
  for (let at = text.length - 1, isDoubled = false; at >= 0; at--, isDoubled = !isDoubled) {
    const digit = text.charCodeAt(at) - 0x30;
    sum += isDoubled ? (digit > 4 ? digit * 2 - 9 : digit * 2) : digit;
  }
  return sum % 10 === 0;
}

/** Returns the weighted sum of the digits. Digits beyond the weights are ignored. */
export function weightedSum(text: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, at) => sum + weight * (text.charCodeAt(at) - 0x30), 0);
}

/** Returns the remainder of a number of any length. */
export function remainder(text: string, divisor: number): number {
  let rest = 0;
  for (const digit of digitsOf(text)) rest = (rest * 10 + digit) % divisor;
  return rest;
}

/** ISO 7064 MOD 11,10 with the check digit at the end. */
export function passesMod1110(text: string): boolean {
  const digits = digitsOf(text);
  let product = 10;
  for (const digit of digits.slice(0, -1)) {
    const sum = (digit + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  return (11 - product) % 10 === digits.at(-1);
}

/** ISO 7064 MOD 97-10 of an IBAN: moves the first four characters to the end and reads letters as 10 to 35. */
export function passesMod97(iban: string): boolean {
  let rest = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

/** Multiplication table of the dihedral group D5. */
const D5 = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  [1, 2, 3, 4, 0, 6, 7, 8, 9, 5],
  [2, 3, 4, 0, 1, 7, 8, 9, 5, 6],
  [3, 4, 0, 1, 2, 8, 9, 5, 6, 7],
  [4, 0, 1, 2, 3, 9, 5, 6, 7, 8],
  [5, 9, 8, 7, 6, 0, 4, 3, 2, 1],
  [6, 5, 9, 8, 7, 1, 0, 4, 3, 2],
  [7, 6, 5, 9, 8, 2, 1, 0, 4, 3],
  [8, 7, 6, 5, 9, 3, 2, 1, 0, 4],
  [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
];
const VERHOEFF_PERMUTATION = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];

/** Verhoeff algorithm. */
export function passesVerhoeff(text: string): boolean {
  let check = 0;
  digitsOf(text)
    .reverse()
    .forEach((digit, position) => {
      let permuted = digit;
      for (let turn = 0; turn < position % 8; turn++) permuted = VERHOEFF_PERMUTATION[permuted] ?? 0;
      check = D5[check]?.[permuted] ?? 0;
    });
  return check === 0;
}

const LONGEST_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** True for a valid date. A two-digit `year` always allows 29 February. */
export function isDate(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const fullYear = year < 100 ? 2000 : year;
  const isLeapYear = fullYear % 4 === 0 && (fullYear % 100 !== 0 || fullYear % 400 === 0);
  return day <= (month === 2 && !isLeapYear ? 28 : (LONGEST_MONTHS[month - 1] ?? 0));
}
