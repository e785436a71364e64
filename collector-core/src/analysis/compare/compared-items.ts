import { alignLists, type LevelKeys } from "./align.js";
import { runSteps } from "../in-steps.js";
import type { TextItem } from "./text-items.js";
import { MAX_EDITS, replacedText, wordDiff, type WordDiff } from "./word-diff.js";

/** A piece of text of one step beside that of the other. */
export interface ComparedItem {
  readonly kind: "same" | "changed" | "only_a" | "only_b";
  readonly label: string;
  readonly form: TextItem["form"];
  /** Undefined if the first step does not have the piece. */
  readonly a: string | undefined;
  readonly b: string | undefined;
  /** Of a changed piece. */
  readonly diff: WordDiff | undefined;
}

/** Characters of all changed pieces of a section whose words are compared; others are shown as replaced. */
const MAX_CHARACTERS = 8_000_000;
/** Work for the words of all pieces: that for two texts grows with the square of the words that differ. */
const MAX_WORK = 3 * MAX_EDITS ** 2;
/** Words that may differ in a piece when the work is done. */
const FEW_EDITS = 30;

/** Puts the pieces of two steps beside each other: equal ones, then those of one kind in the same place. */
export function comparedItems(
  a: readonly TextItem[],
  b: readonly TextItem[],
  maxCharacters = MAX_CHARACTERS,
): ComparedItem[] {
  const matches = runSteps(alignLists(a.map(keysOf), b.map(keysOf)));
  const items: ComparedItem[] = [];
  let characters = maxCharacters;
  let work = MAX_WORK;
  let [nextA, nextB] = [0, 0];
  const addUpTo = (toA: number, toB: number): void => {
    for (const item of a.slice(nextA, toA)) items.push(single("only_a", item));
    for (const item of b.slice(nextB, toB)) items.push(single("only_b", item));
    [nextA, nextB] = [toA, toB];
  };
  for (const { a: atA, b: atB } of matches) {
    addUpTo(atA, atB);
    const [inA, inB] = [a[atA], b[atB]];
    [nextA, nextB] = [atA + 1, atB + 1];
    if (inA === undefined || inB === undefined) continue;
    if (inA.key === inB.key) {
      items.push(same(inA));
      continue;
    }
    characters -= inA.text.length + inB.text.length;
    const maxEdits = work > 0 ? MAX_EDITS : FEW_EDITS;
    const item = changed(inA, inB, characters < 0 ? undefined : maxEdits);
    work -= Math.min(item.diff?.changed ?? 0, maxEdits) ** 2;
    items.push(item);
  }
  addUpTo(a.length, b.length);
  return items;
}

function keysOf({ key, like }: TextItem): LevelKeys {
  return [`${like} ${key}`, like];
}

function same({ label, form, text }: TextItem): ComparedItem {
  return { kind: "same", label, form, a: text, b: text, diff: undefined };
}

/** @param maxEdits - undefined: the words are not compared. */
function changed(a: TextItem, b: TextItem, maxEdits: number | undefined): ComparedItem {
  const [inA, inB] = differingTexts(a, b);
  const diff = maxEdits === undefined ? replacedText(inA, inB) : wordDiff(inA, inB, maxEdits);
  return { kind: "changed", label: b.label, form: b.form, a: inA, b: inB, diff };
}

/** The texts of two pieces with what differs in them: also the schemas of tools, or everything that was recorded. */
function differingTexts(a: TextItem, b: TextItem): readonly [string, string] {
  if (a.schema !== b.schema) return [withSchema(a), withSchema(b)];
  return a.text === b.text ? [a.key, b.key] : [a.text, b.text];
}

function withSchema({ text, schema }: TextItem): string {
  return schema === undefined ? text : `${text}\n${schema}`;
}

function single(kind: "only_a" | "only_b", { label, form, text }: TextItem): ComparedItem {
  const isA = kind === "only_a";
  return { kind, label, form, a: isA ? text : undefined, b: isA ? undefined : text, diff: undefined };
}
