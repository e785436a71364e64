import { isSamePiece, tokensOf, type ContextPiece } from "./context-piece.js";
import { STEP_LENGTH, type Steps } from "../in-steps.js";

/** What two calls have in common. Tokens are estimates. */
export interface Comparison {
  /** Tokens that are equal from the start. */
  readonly prefix: number;
  /** Tokens of the text that both have, wherever it is. */
  readonly shared: number;
  /** The first piece that differs; undefined if the later call only adds to the earlier one. */
  readonly change: PieceChange | undefined;
}

/** The first piece that differs between two calls. */
export interface PieceChange {
  readonly index: number;
  /** Undefined if the later call adds pieces at the end. */
  readonly before: ContextPiece | undefined;
  /** Undefined if the later call ends here. */
  readonly after: ContextPiece | undefined;
  /** Characters that both pieces have at their start, and at their end. */
  readonly start: number;
  readonly end: number;
}

/** Compares what two calls send. */
export function* compareCalls(
  before: readonly ContextPiece[],
  after: readonly ContextPiece[],
): Steps<Comparison> {
  let same = 0;
  while (same < before.length && isSamePiece(before[same], after[same])) {
    same++;
    if (same % 1000 === 999) yield;
  }
  const prefix = tokensOf(after.slice(0, same));
  const [earlier, later] = [before[same], after[same]];
  if (earlier === undefined) return { prefix, shared: prefix, change: undefined };
  const { start, end } = yield* equalEnds(earlier, later);
  const change = { index: same, before: earlier, after: later, start, end };
  const equal = yield* equalTokens(before.slice(same), after.slice(same));
  const [inside, head] = insideOf(change, equal.has(later));
  return { prefix: prefix + head, shared: prefix + equal.tokens + inside, change };
}

/** Tokens of the changed piece that are equal: all of them, and those at its start. */
function insideOf({ before, after, start, end }: PieceChange, isElsewhere: boolean): [number, number] {
  if (after === undefined || before?.kind !== after.kind || isElsewhere) return [0, 0];
  const perCharacter = after.text.length === 0 ? 0 : after.tokens / after.text.length;
  return [(start + end) * perCharacter, start * perCharacter];
}

function* equalEnds(
  a: ContextPiece,
  b: ContextPiece | undefined,
): Steps<{ readonly start: number; readonly end: number }> {
  if (b === undefined || a.kind !== b.kind) return { start: 0, end: 0 };
  const length = Math.min(a.text.length, b.text.length);
  let start = 0;
  while (start < length && a.text.charCodeAt(start) === b.text.charCodeAt(start))
    if (++start % STEP_LENGTH === 0) yield;
  let end = 0;
  while (
    end < length - start &&
    a.text.charCodeAt(a.text.length - 1 - end) === b.text.charCodeAt(b.text.length - 1 - end)
  )
    if (++end % STEP_LENGTH === 0) yield;
  return { start, end };
}

/** Pieces that both lists have, each as often as it is in both. */
function* equalTokens(
  before: readonly ContextPiece[],
  after: readonly ContextPiece[],
): Steps<{ readonly tokens: number; readonly has: (piece: ContextPiece | undefined) => boolean }> {
  const left = new Map<string, number>();
  for (const [index, piece] of before.entries()) {
    const key = keyOf(piece);
    left.set(key, (left.get(key) ?? 0) + 1);
    if (index % 1000 === 999) yield;
  }
  let tokens = 0;
  const found = new Set<ContextPiece>();
  for (const [index, piece] of after.entries()) {
    if (index % 1000 === 999) yield;
    const key = keyOf(piece);
    const count = left.get(key) ?? 0;
    if (count === 0) continue;
    left.set(key, count - 1);
    tokens += piece.tokens;
    found.add(piece);
  }
  return { tokens, has: (piece) => piece !== undefined && found.has(piece) };
}

function keyOf({ kind, tokens, text }: ContextPiece): string {
  return `${kind} ${tokens} ${text}`;
}
