import type { ContextDuplicate } from "../../api-schema/context.js";
import { oneLine } from "../attributes.js";
import type { ContextPiece } from "./context-piece.js";
import { isNearlyEqual, shinglesOf, type Shingles } from "./shingles.js";
import type { Steps } from "../in-steps.js";

/** Fewer tokens are not worth a mention. */
const MIN_TOKENS = 200;
const MAX_GROUPS = 50;
/** Most different texts that are compared by their words. */
const MAX_COMPARED = 150;
const MAX_PLACES = 10;
const NAME_LENGTH = 60;

/** A text that a context contains several times. */
interface Group {
  readonly pieces: ContextPiece[];
  isExact: boolean;
}

/** A found duplicate, with its pieces in order. */
export interface FoundDuplicate extends Omit<ContextDuplicate, "cost_usd" | "tokens_each" | "tokens_again"> {
  readonly pieces: readonly ContextPiece[];
}

/**
 * Finds texts that are in a context several times: equal ones, and those with nine tenths of their words in common.
 *
 * @param scale - tokens of the provider for each estimated one.
 * @param toolOfCall - the names of tools by the ids of their calls.
 */
export function* duplicatesIn(
  pieces: readonly ContextPiece[],
  scale: number,
  toolOfCall: ReadonlyMap<string, string>,
): Steps<readonly FoundDuplicate[]> {
  const groups = new Map<string, Group>();
  for (const [index, piece] of pieces.entries()) {
    if (index % 1000 === 999) yield;
    if (piece.kind === "tools" || piece.text === "" || piece.tokens * scale < MIN_TOKENS) continue;
    const key = `${Math.round(piece.tokens)} ${piece.text.trim()}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { pieces: [piece], isExact: true });
    else group.pieces.push(piece);
  }
  const merged = yield* mergeNearlyEqual([...groups.values()]);
  return merged
    .filter((group) => group.pieces.length > 1)
    .map((group) => foundIn(group, toolOfCall))
    .toSorted((a, b) => repeatedTokens(b) - repeatedTokens(a))
    .slice(0, MAX_GROUPS);
}

function repeatedTokens({ pieces }: FoundDuplicate): number {
  return pieces.slice(1).reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Adds each group to the first one that is nearly equal. Only the largest texts are compared. */
function* mergeNearlyEqual(groups: readonly Group[]): Steps<readonly Group[]> {
  const ordered = groups.toSorted((a, b) => (b.pieces[0]?.tokens ?? 0) - (a.pieces[0]?.tokens ?? 0));
  const kept: Group[] = [];
  const compared: { readonly group: Group; readonly shingles: Shingles }[] = [];
  for (const [index, group] of ordered.entries()) {
    const [first] = group.pieces;
    const isText = first !== undefined && first.kind !== "images";
    const shingles = index < MAX_COMPARED && isText ? yield* shinglesOf(first.text) : undefined;
    const near = shingles && compared.find((other) => isNearlyEqual(other.shingles, shingles));
    yield;
    if (near === undefined) {
      kept.push(group);
      if (shingles !== undefined) compared.push({ group, shingles });
    } else {
      for (const piece of group.pieces) near.group.pieces.push(piece);
      near.group.isExact = false;
    }
  }
  for (const group of kept) group.pieces.sort((a, b) => a.message - b.message);
  return kept;
}

function foundIn({ pieces, isExact }: Group, toolOfCall: ReadonlyMap<string, string>): FoundDuplicate {
  const [first] = pieces;
  const callIds = pieces.flatMap(({ kind, callId }) =>
    kind === "results" && callId !== undefined ? [callId] : [],
  );
  const tools = new Set(callIds.flatMap((id) => toolOfCall.get(id) ?? []));
  const label = pieces.find((piece) => piece.label !== undefined)?.label;
  return {
    pieces,
    kind: (pieces.find(({ kind }) => kind === "retrieved" || kind === "results") ?? first)?.kind ?? "unknown",
    name: [...tools].join(", ") || label || oneLine(first?.text ?? "", NAME_LENGTH),
    times: pieces.length,
    messages: [...new Set(pieces.map(({ message }) => message + 1))].slice(0, MAX_PLACES),
    call_ids: callIds.slice(0, MAX_PLACES),
    is_exact: isExact,
  };
}
