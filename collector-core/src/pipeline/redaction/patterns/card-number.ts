import { isDigit, startsWord } from "../boundaries.js";
import { passesLuhn } from "../checksums.js";
import { digitGroups, type DigitGroup } from "../digit-groups.js";
import { sumsOf } from "../digit-sums.js";
import { builtIn, type TextMatch } from "../pattern.js";

/** Prefixes and lengths of card numbers by issuer. */
const ISSUERS: readonly { readonly begins: RegExp; readonly lengths: readonly number[] }[] = [
  { begins: /^4/, lengths: [13, 16, 19] }, // Visa
  { begins: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, lengths: [16] }, // Mastercard
  { begins: /^3[47]/, lengths: [15] }, // American Express
  { begins: /^3(?:0[0-5]|095|6|8|9)/, lengths: [14, 16, 19] }, // Diners Club
  { begins: /^35(?:2[89]|[3-8])/, lengths: [16, 17, 18, 19] }, // JCB
  { begins: /^(?:6011|64[4-9]|65|60|62|8[12])/, lengths: [16, 17, 18, 19] }, // Discover, RuPay, UnionPay
  { begins: /^(?:50|5[6-8]|6[0-9])/, lengths: [16, 17, 18, 19] }, // Maestro, Elo
  { begins: /^(?:220[0-4]|9792)/, lengths: [16, 17, 18, 19] }, // Mir, Troy
];

const MAX_DIGITS = 19;
/** Minimum length of each group except the last. */
const MIN_GROUP_LENGTH = 4;

/** Payment card numbers with a valid prefix, length and Luhn checksum, with or without spaces or dashes. */
export const cardNumber = builtIn({
  name: "card_number",
  digits: sumsOf(13, 14, 15, 16, 17, 18, 19),
  find: findCards,
});

function findCards(text: string): TextMatch[] {
  const found: TextMatch[] = [];
  for (const groups of digitGroups(text, /[ \u00a0.-]/)) {
    for (let first = 0; first < groups.length; first++) {
      const last = lastGroupOfCard(text, groups, first);
      if (last === undefined) continue;
      found.push({ start: (groups[first] as DigitGroup).start, end: (groups[last] as DigitGroup).end });
      first = last;
    }
  }
  return found;
}

function lastGroupOfCard(text: string, groups: readonly DigitGroup[], first: number): number | undefined {
  const start = groups[first]?.start ?? 0;
  let digits = "";
  for (let last = first; last < groups.length; last++) {
    const group = groups[last] as DigitGroup;
    digits += text.slice(group.start, Math.min(group.end, group.start + MAX_DIGITS + 1));
    if (digits.length > MAX_DIGITS) return undefined;
    if (isCard(digits) && isStandalone(text, start, group.end) && areCardGroups(text, groups, first, last))
      return last;
    // Cards have groups of four digits, or of four, six and the rest. Only the last group can be shorter.
    if (group.end - group.start < MIN_GROUP_LENGTH) return undefined;
  }
  return undefined;
}

/** Dots are only valid between groups of four digits. Otherwise the number is a decimal or a version. */
function areCardGroups(text: string, groups: readonly DigitGroup[], first: number, last: number): boolean {
  if (first === last) return true;
  const inside = groups.slice(first, last + 1);
  const dots = inside.slice(0, -1).filter(({ end }) => text[end] === ".").length;
  if (dots === 0) return true;
  return dots === last - first && inside.every(({ start, end }) => end - start === MIN_GROUP_LENGTH);
}

function isCard(digits: string): boolean {
  return isIssued(digits) && passesLuhn(digits);
}

function isIssued(digits: string): boolean {
  return ISSUERS.some(({ begins, lengths }) => lengths.includes(digits.length) && begins.test(digits));
}

/**
 * Checks a number beyond the safe integers by prefix and length only: JSON has lost its last digits and the checksum.
 */
export function isLongCardNumber(value: number): boolean {
  const digits = String(value);
  return /^\d+$/.test(digits) && isIssued(digits);
}

/** True when the digits are not part of a decimal, an id or a UUID. */
function isStandalone(text: string, start: number, end: number): boolean {
  if (!startsWord(text, start)) return false;
  if (/[A-Za-z_]/.test(text[end] ?? "")) return false;
  if (text[start - 1] === "." && isDigit(text.charCodeAt(start - 2))) return false;
  // Accepts a card number that was converted to a float: `4111111111111111.0`.
  if (
    text[end] === "." &&
    isDigit(text.charCodeAt(end + 1)) &&
    !/^\.0{1,2}(?![\w.])/.test(text.slice(end, end + 4))
  )
    return false;
  return (
    !/[0-9a-f]-$/i.test(text.slice(Math.max(0, start - 2), start)) &&
    !/^-[0-9a-f]/i.test(text.slice(end, end + 2))
  );
}
