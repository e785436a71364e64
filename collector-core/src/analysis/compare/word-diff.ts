import { diffArrays } from "diff";
import { runSteps } from "../in-steps.js";
import { commonSubsequence } from "./common-subsequence.js";
import { slideChanges, type TokenRun } from "./slide-changes.js";
import { trimmedRuns } from "./trimmed-runs.js";
import { countWordsOf, wordTokens } from "./word-tokens.js";

/** A piece of a text that is in both texts or only in one. */
export interface TextPiece {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** What differs between two texts, word by word. */
export interface WordDiff {
  /** In order: the same and removed ones are the first text, the same and added ones the second. */
  readonly pieces: readonly TextPiece[];
  /** Words that only the first text has. */
  readonly removed: number;
  /** Words that only the second text has. */
  readonly added: number;
  /** Both together. */
  readonly changed: number;
  /** Words of both texts. */
  readonly words: number;
}

/** Words that differ between two texts at most, before their lines are compared: the work grows with its square. */
export const MAX_EDITS = 400;
/** Characters of two texts whose words are compared at once; of longer ones the lines are compared first. */
const MAX_LENGTH = 60_000;

/** Compares two texts. Bounded: the work for very different long texts does not grow with the square of their length. */
export function wordDiff(a: string, b: string, maxEdits = MAX_EDITS): WordDiff {
  if (a > b) return inverted(wordDiff(b, a, maxEdits));
  const runs = a === b ? [{ same: true, a: [a], b: [b] }] : runsOfTexts(a, b, maxEdits);
  const readable = slideChanges(joinedRuns(withoutIslands(runs.filter(hasTokens)).flatMap(withoutEqualEnds)));
  const changes = readable.filter(({ same }) => !same);
  const removed = changes.reduce((sum, run) => sum + countWordsOf(run.a.join("")), 0);
  const added = changes.reduce((sum, run) => sum + countWordsOf(run.b.join("")), 0);
  return {
    pieces: readable.flatMap(piecesOf),
    removed,
    added,
    changed: removed + added,
    words: countWordsOf(a) + countWordsOf(b),
  };
}

/** The share of the words of both texts that differ, from 0 to 1. */
export function changedShare({ changed, words }: Pick<WordDiff, "changed" | "words">): number {
  return words === 0 ? 0 : changed / words;
}

/** All of the first text as removed and all of the second as added, without a look at what both have. */
export function replacedText(a: string, b: string): WordDiff {
  const [removed, added] = [countWordsOf(a), countWordsOf(b)];
  const pieces = piecesOf({ same: false, a: [a], b: [b] });
  return { pieces, removed, added, changed: removed + added, words: removed + added };
}

function inverted({ pieces, added, removed, ...figures }: WordDiff): WordDiff {
  const swapped = pieces.map(({ kind, text }): TextPiece => ({ kind: INVERSE[kind], text }));
  // What is removed stands before what is added.
  for (let index = 1; index < swapped.length; index++) {
    const [before, piece] = [swapped[index - 1], swapped[index]];
    if (before?.kind === "added" && piece?.kind === "removed") {
      swapped[index - 1] = piece;
      swapped[index] = before;
    }
  }
  return { pieces: swapped, ...figures, added: removed, removed: added };
}

const INVERSE = { same: "same", removed: "added", added: "removed" } as const;

function hasTokens({ a, b }: TokenRun): boolean {
  return a.join("").length + b.join("").length > 0;
}

function runsOfTexts(a: string, b: string, maxEdits: number): TokenRun[] {
  if (a.length + b.length > MAX_LENGTH) return runsOfLines(a, b, maxEdits);
  return trimmedRuns(
    wordTokens(a),
    wordTokens(b),
    (inA, inB) => runsOf(inA, inB, maxEdits) ?? runsOfLines(inA.join(""), inB.join(""), maxEdits),
  );
}

/** Compares the lines of two texts, and the words of those that differ. */
function runsOfLines(a: string, b: string, maxEdits: number): TokenRun[] {
  const runs = runsOfList(linesOf(a), linesOf(b));
  // Blocks of the same text share what one text may cost.
  const share = Math.floor(maxEdits / Math.sqrt(runs.filter(({ same }) => !same).length));
  return runs.flatMap((run) => (run.same ? [run] : runsOfBlock(run.a.join(""), run.b.join(""), share)));
}

/** The runs of two lists, however many of their items differ. */
function runsOfList(a: readonly string[], b: readonly string[]): TokenRun[] {
  const numbers = new Map<string, number>();
  const numberOf = (item: string): number => {
    const known = numbers.get(item);
    if (known !== undefined) return known;
    numbers.set(item, numbers.size);
    return numbers.size - 1;
  };
  const pairs = runSteps(commonSubsequence(a.map(numberOf), b.map(numberOf)));
  const runs: { same: boolean; a: string[]; b: string[] }[] = [];
  let [nextA, nextB] = [0, 0];
  for (const [inA, inB] of [...pairs, [a.length, b.length] as const]) {
    if (inA > nextA || inB > nextB)
      runs.push({ same: false, a: a.slice(nextA, inA), b: b.slice(nextB, inB) });
    const line = a[inA];
    const last = runs.at(-1);
    if (line !== undefined && last?.same === true) {
      last.a.push(line);
      last.b.push(line);
    } else if (line !== undefined) runs.push({ same: true, a: [line], b: [line] });
    [nextA, nextB] = [inA + 1, inB + 1];
  }
  return runs;
}

/** Compares the words of lines that replace each other, without what they begin and end with if they are very long. */
function runsOfBlock(a: string, b: string, maxEdits: number): TokenRun[] {
  if (a.length + b.length <= MAX_LENGTH)
    return trimmedRuns(wordTokens(a), wordTokens(b), (inA, inB) => runsOrReplaced(inA, inB, maxEdits));
  const [start, end] = equalEnds(a, b);
  const [inA, inB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const isShort = inA.length + inB.length <= MAX_LENGTH;
  return [
    { same: true, a: [a.slice(0, start)], b: [a.slice(0, start)] },
    ...(isShort
      ? runsOrReplaced(wordTokens(inA), wordTokens(inB), maxEdits)
      : [{ same: false, a: [inA], b: [inB] }]),
    { same: true, a: [a.slice(a.length - end)], b: [a.slice(a.length - end)] },
  ];
}

function runsOrReplaced(a: readonly string[], b: readonly string[], maxEdits: number): TokenRun[] {
  return runsOf(a, b, maxEdits) ?? [{ same: false, a, b }];
}

/** The characters that two texts begin and end with, up to white space. */
function equalEnds(a: string, b: string): readonly [start: number, end: number] {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  while (start > 0 && !isSpace(a[start - 1])) start--;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  while (end > 0 && !isSpace(a[a.length - end])) end--;
  return [start, end];
}

function isSpace(character: string | undefined): boolean {
  return character === " " || character === "\n" || character === "\t";
}

/** The runs of two lists; undefined if they differ too much. */
function runsOf(a: readonly string[], b: readonly string[], maxEdits: number): TokenRun[] | undefined {
  if (a.length === 0 || b.length === 0) return [{ same: false, a, b }];
  const changes = diffArrays([...a], [...b], { maxEditLength: maxEdits });
  if (changes === undefined) return undefined;
  const runs: TokenRun[] = [];
  for (const { value, added, removed } of changes) {
    const last = runs.at(-1);
    if (!added && !removed) runs.push({ same: true, a: value, b: value });
    else if (last?.same === false)
      runs[runs.length - 1] = added
        ? { ...last, b: [...last.b, ...value] }
        : { ...last, a: [...last.a, ...value] };
    else runs.push({ same: false, a: removed ? value : [], b: added ? value : [] });
  }
  return runs;
}

/** The lines of a text, with their line breaks. */
function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/);
}

/** Neighbouring runs as one, by their places: copies of long runs for each one that joins them would take very long. */
interface Joined {
  readonly same: boolean;
  readonly from: number;
  readonly to: number;
  /** Of the longer sides. */
  readonly length: number;
}

/**
 * Joins changes that only have a few equal words between them: a rewritten sentence is easier to read as one change.
 */
function withoutIslands(runs: readonly TokenRun[]): TokenRun[] {
  const joined: Joined[] = [];
  for (const [index, { same, a, b }] of runs.entries()) {
    joined.push({ same, from: index, to: index + 1, length: Math.max(lengthOf(a), lengthOf(b)) });
    for (;;) {
      const [before, island, last] = joined.slice(-3);
      if (before === undefined || island === undefined || last === undefined) break;
      if (last.same || before.same || !island.same) break;
      if (island.length > Math.min(before.length, last.length)) break;
      const length = before.length + island.length + last.length;
      joined.splice(-3, 3, { same: false, from: before.from, to: last.to, length });
    }
  }
  return joined.map(({ same, from, to }) => {
    const parts = runs.slice(from, to);
    return { same, a: parts.flatMap(({ a }) => a), b: parts.flatMap(({ b }) => b) };
  });
}

/** A change without what both sides of it begin and end with. */
function withoutEqualEnds({ same, a, b }: TokenRun): TokenRun[] {
  return same ? [{ same, a, b }] : trimmedRuns(a, b, (inA, inB) => [{ same: false, a: inA, b: inB }]);
}

function lengthOf(tokens: readonly string[]): number {
  return tokens.reduce((sum, { length }) => sum + length, 0);
}

function piecesOf({ same, a, b }: TokenRun): TextPiece[] {
  if (same) return [{ kind: "same", text: a.join("") }];
  const pieces: TextPiece[] = [
    { kind: "removed", text: a.join("") },
    { kind: "added", text: b.join("") },
  ];
  return pieces.filter(({ text }) => text !== "");
}

/** Equal runs beside each other are one. */
function joinedRuns(runs: readonly TokenRun[]): TokenRun[] {
  const joined: { readonly same: boolean; readonly a: string[]; readonly b: string[] }[] = [];
  for (const { same, a, b } of runs) {
    const last = joined.at(-1);
    if (last?.same === true && same) {
      for (const token of a) last.a.push(token);
      for (const token of b) last.b.push(token);
    } else joined.push({ same, a: [...a], b: [...b] });
  }
  return joined;
}
