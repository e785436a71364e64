import type { Steps } from "../in-steps.js";

/** The smallest hashes of the groups of words in a text, in order, and the number of words. */
export interface Shingles {
  readonly hashes: readonly number[];
  readonly words: number;
}

/** Words of a group. */
const GROUP = 4;
/** Hashes of a text: enough to tell nine tenths from eight. */
const KEPT = 256;
const MIN_SHARE = 0.9;
/** Words that are read in one step. */
const READ_AT_ONCE = 5000;
/** Words of a text that are read. */
const MAX_WORDS = 100_000;
const WORD = /[^\s.,;:!?"'()[\]{}<>]+/g;

/** Reads a text for {@link isNearlyEqual}. */
export function* shinglesOf(text: string): Steps<Shingles> {
  const hashes = new Set<number>();
  const last: number[] = [];
  let words = 0;
  for (const [word] of text.matchAll(WORD)) {
    if (++words > MAX_WORDS) break;
    last.push(hashOf(word));
    if (last.length > GROUP) last.shift();
    if (last.length === GROUP) hashes.add(last.reduce(mix, 17));
    if (words % READ_AT_ONCE === 0) yield;
  }
  const smallest = [...hashes].toSorted((a, b) => a - b).slice(0, KEPT);
  return { hashes: smallest, words };
}

/** Whether nine tenths of the groups of words are in both texts. */
export function isNearlyEqual(a: Shingles, b: Shingles): boolean {
  if (a.words === 0) return false;
  if (Math.min(a.words, b.words) < MIN_SHARE * Math.max(a.words, b.words)) return false;
  let inA = 0;
  let inB = 0;
  let seen = 0;
  let both = 0;
  // Of the smallest hashes of both together, those that both have are the share of all.
  while (seen < KEPT && inA < a.hashes.length && inB < b.hashes.length) {
    const [left = 0, right = 0] = [a.hashes[inA], b.hashes[inB]];
    if (left === right) both++;
    if (left <= right) inA++;
    if (right <= left) inB++;
    seen++;
  }
  const rest = Math.min(KEPT - seen, Math.max(a.hashes.length - inA, b.hashes.length - inB));
  return seen + rest > 0 && both / (seen + rest) >= MIN_SHARE;
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
/** Characters of a word that count: a longer word is data. */
const WORD_LENGTH = 100;

function hashOf(word: string): number {
  let hash = FNV_OFFSET;
  for (let at = 0; at < word.length && at < WORD_LENGTH; at++)
    hash = Math.imul(hash ^ word.charCodeAt(at), FNV_PRIME);
  return hash >>> 0;
}

function mix(hash: number, next: number): number {
  const mixed = Math.imul(hash ^ (next >>> 15) ^ next, 0x85ebca6b);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}
