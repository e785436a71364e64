import type { ComparedItem, SectionName, TextSection } from "@obspan/collector-core/analysis";
import { formatWhole } from "../../../format.js";

const CALL_NAMES: Readonly<Record<SectionName, string>> = {
  system: "System prompt",
  tools: "Tool definitions",
  input: "Messages",
  output: "Output",
  error: "Error",
};

/** The name of a part of a step. */
export function sectionName(name: SectionName, spanType: string): string {
  if (spanType === "tool")
    return name === "input" ? "Arguments" : name === "output" ? "Result" : CALL_NAMES[name];
  if (spanType === "llm") return CALL_NAMES[name];
  return name === "input" ? "Input" : CALL_NAMES[name];
}

/** `458 → 1,284 characters`, `8 → 9 · 7 equal`, `41 % of the words changed`, `equal`. */
export function sectionNote(section: TextSection): string {
  const { name, items } = section;
  const equal = items.filter(({ kind }) => kind === "same").length;
  if (equal === items.length) return name === "system" ? "equal" : countNote(items, "equal");
  const [item] = items;
  if (items.length > 1 || item === undefined) {
    const [a, b] = [items.filter(hasA).length, items.filter(hasB).length];
    const counts = a === b ? formatWhole(a) : `${formatWhole(a)} → ${formatWhole(b)}`;
    return equal === 0 ? counts : `${counts} · ${formatWhole(equal)} equal`;
  }
  if (item.kind === "only_a" || item.kind === "only_b")
    return item.kind === "only_a" ? "only in A" : "only in B";
  const share = name === "output" ? sectionShare(section) : undefined;
  if (share !== undefined) return `${share} of the words changed`;
  const [before, after] = [item.a?.length ?? 0, item.b?.length ?? 0];
  return `${formatWhole(before)} → ${formatWhole(after)} characters`;
}

function countNote(items: readonly ComparedItem[], word: string): string {
  return items.length === 1 ? word : `${formatWhole(items.length)} ${word}`;
}

function hasA({ a }: ComparedItem): boolean {
  return a !== undefined;
}

function hasB({ b }: ComparedItem): boolean {
  return b !== undefined;
}

/** What differs in a part, as the outline has it: `+1`, `−1`, `~2` pieces; of a single text its words. */
export interface SectionMarks {
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
}

export function sectionMarks({ items }: TextSection): SectionMarks {
  const [item] = items;
  if (items.length === 1 && item?.diff !== undefined)
    return { added: item.diff.added, removed: item.diff.removed, changed: 0 };
  const count = (kind: ComparedItem["kind"]): number => items.filter((each) => each.kind === kind).length;
  return { added: count("only_b"), removed: count("only_a"), changed: count("changed") };
}

/** The share of the words of a single text that differ, as `41 %`. */
export function sectionShare({ items }: TextSection): string | undefined {
  const [item] = items;
  if (items.length !== 1 || item?.diff === undefined) return undefined;
  const { changed, words } = item.diff;
  return `${Math.max(1, Math.round((changed / Math.max(1, words)) * 100))} %`;
}

/** Element id of a part of the step; the outline scrolls to it. */
export function sectionId(name: string): string {
  return `compared-${name}`;
}
