import { CONTEXT_PART_KINDS, type ContextPart, type ContextPartKind } from "../../api-schema/context.js";
import { tokensOf, type ContextPiece } from "./context-piece.js";
import type { FoundDuplicate } from "./duplicates.js";
import { scaleTokens } from "./scale-tokens.js";

/** What fills a context window, in the order of a request: estimates that are scaled to the tokens of the call. */
export function windowParts(
  pieces: readonly ContextPiece[],
  tokens: number,
  duplicates: readonly FoundDuplicate[],
): ContextPart[] {
  if (pieces.length === 0)
    return tokens === 0 ? [] : [{ kind: "unknown", tokens, items: 0, equal_items: 0, detail: null }];
  const byKind = CONTEXT_PART_KINDS.map((kind) => ({
    kind,
    list: pieces.filter((each) => each.kind === kind),
  }));
  const filled = byKind.filter(({ list }) => list.length > 0);
  const scaled = scaleTokens(
    filled.map(({ list }) => tokensOf(list)),
    tokens,
  );
  return filled.map(({ kind, list }, index) => ({
    kind,
    tokens: scaled[index] ?? 0,
    items: itemsIn(kind, list),
    equal_items: equalItems(kind, duplicates),
    detail: detailOf(kind, list),
  }));
}

function itemsIn(kind: ContextPartKind, pieces: readonly ContextPiece[]): number {
  if (kind === "system") return pieces.reduce((lines, { text }) => lines + linesIn(text), 0);
  if (kind === "user" || kind === "assistant") return new Set(pieces.map(({ message }) => message)).size;
  return pieces.length;
}

function linesIn(text: string): number {
  let lines = 1;
  const trimmed = text.trim();
  for (let at = trimmed.indexOf("\n"); at >= 0; at = trimmed.indexOf("\n", at + 1)) lines++;
  return lines;
}

function equalItems(kind: ContextPartKind, duplicates: readonly FoundDuplicate[]): number {
  return duplicates
    .map(({ pieces }) => pieces.filter((piece) => piece.kind === kind).length)
    .reduce((most, count) => (count > 1 ? Math.max(most, count) : most), 0);
}

function detailOf(kind: ContextPartKind, pieces: readonly ContextPiece[]): string | null {
  if (kind === "tools" || kind === "assistant") return null;
  const labels = new Set(pieces.map(({ label }) => label));
  const [label] = labels;
  return labels.size === 1 && label !== undefined ? label : null;
}
