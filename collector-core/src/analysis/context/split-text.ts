import type { KnownText } from "./known-texts.js";
import { STEP_LENGTH, type Steps } from "../in-steps.js";

/** A range of a text that is a memory or a document. */
export interface TextRange {
  readonly kind: "memory" | "retrieved";
  readonly label: string | undefined;
  readonly start: number;
  readonly end: number;
}

/** Tags that apps put around memories and documents. */
const TAGS: ReadonlyMap<string, "memory" | "retrieved"> = new Map([
  ["memory", "memory"],
  ["memories", "memory"],
  ["user_memory", "memory"],
  ["user_memories", "memory"],
  ["core_memory", "memory"],
  ["memory_blocks", "memory"],
  ["document", "retrieved"],
  ["documents", "retrieved"],
  ["retrieved_documents", "retrieved"],
  ["retrieved_context", "retrieved"],
  ["context", "retrieved"],
  ["search_results", "retrieved"],
  ["sources", "retrieved"],
]);
const OPENING = /<([a-z_]{6,20})(?: [^<>]{0,200})?>/g;
const NAME = /\b(?:title|name|source|path|id)="([^"]{1,200})"/;
/** Most ranges of a text. */
const MAX_RANGES = 500;

/**
 * Finds memories and documents in a text: those in tags, and what earlier spans of the run returned. The ranges are in order
 * and do not overlap: the first one wins, and an outer tag wins over an inner one.
 */
export function* rangesIn(text: string, known: Iterable<KnownText>): Steps<readonly TextRange[]> {
  const ranges = text.includes("</") ? taggedRanges(text) : [];
  for (const { kind, label, text: wanted } of known) {
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      if (ranges.length >= MAX_RANGES) break;
      ranges.push({ kind, label, start: at, end: at + wanted.length });
    }
    if (text.length > STEP_LENGTH) yield;
  }
  return withoutOverlaps(ranges);
}

function taggedRanges(text: string): TextRange[] {
  const ranges: TextRange[] = [];
  /** Tags that are not closed after this point: the text is not searched for them again. */
  const unclosed = new Set<string>();
  let end = 0;
  for (const match of text.matchAll(OPENING)) {
    const [opening, tag = ""] = match;
    const kind = TAGS.get(tag);
    if (kind === undefined || match.index < end || unclosed.has(tag)) continue;
    const closing = `</${tag}>`;
    const at = text.indexOf(closing, match.index + opening.length);
    if (at < 0) {
      unclosed.add(tag);
      continue;
    }
    end = at + closing.length;
    ranges.push({ kind, label: NAME.exec(opening)?.[1], start: match.index, end });
    if (ranges.length >= MAX_RANGES) break;
  }
  return ranges;
}

function withoutOverlaps(ranges: readonly TextRange[]): TextRange[] {
  const kept: TextRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.start - b.start || b.end - a.end))
    if (range.start >= (kept.at(-1)?.end ?? 0)) kept.push(range);
  return kept;
}
