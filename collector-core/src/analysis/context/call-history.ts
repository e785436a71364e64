import type { CacheBreakCause } from "../../api-schema/context.js";
import { causeOf } from "./break-cause.js";
import type { CallFacts } from "./call-facts.js";
import { compareCalls, type Comparison } from "./compare-calls.js";
import { tokensOf, type ContextPiece } from "./context-piece.js";
import type { Steps } from "../in-steps.js";

/** A call with what it sent. */
export interface ReadCall {
  readonly facts: CallFacts;
  readonly pieces: readonly ContextPiece[];
  /** Tokens of the provider for each estimated one. */
  readonly scale: number;
  /** The call before with the most text in common; undefined for the first call of a conversation. */
  readonly before: ComparedCall | undefined;
}

/** A call before, and what it has in common with a later one. */
export interface ComparedCall {
  readonly call: ReadCall;
  readonly comparison: Comparison;
  /** Input tokens that it had sent and that were billed again; undefined if nothing tells. */
  readonly tokensAgain: number | undefined;
  /** Undefined if the cache was read as far as it could be. */
  readonly cause: CacheBreakCause | undefined;
  readonly gapMs: number;
}

/** Calls that a call is compared with. An agent may have several conversations at a time. */
const COMPARED_CALLS = 8;
/** Characters of the calls that are kept to be compared. */
const KEPT_CHARACTERS = 32 * 1024 * 1024;
/** Calls with less of their text in common are of different conversations. */
const MIN_SHARED = 0.2;
/** Providers do not cache shorter texts. */
export const MIN_CACHED_TOKENS = 1024;

/** Compares each call of an agent with those before it. */
export class CallHistory {
  #recent: readonly ReadCall[] = [];

  *add(facts: CallFacts, pieces: readonly ContextPiece[]): Steps<ReadCall> {
    const estimate = tokensOf(pieces);
    const { tokens = 0 } = facts;
    const scale = tokens > 0 && estimate > 0 ? tokens / estimate : 1;
    const before = yield* this.#findBefore(facts, pieces, scale);
    const call: ReadCall = { facts, pieces, scale, before };
    this.#recent = kept([...this.#recent, { ...call, before: undefined }]);
    return call;
  }

  *#findBefore(
    facts: CallFacts,
    pieces: readonly ContextPiece[],
    scale: number,
  ): Steps<ComparedCall | undefined> {
    let best: { call: ReadCall; comparison: Comparison } | undefined;
    const estimate = tokensOf(pieces);
    for (const call of this.#recent.toReversed()) {
      const { model, answeredMs, estimated } = factsOf(call);
      if (model !== facts.model || answeredMs === undefined || answeredMs > facts.startMs) continue;
      const comparison = yield* compareCalls(call.pieces, pieces);
      yield;
      if (comparison.shared < MIN_SHARED * Math.min(estimated, estimate) || comparison.shared === 0) continue;
      if (best === undefined || comparison.shared > best.comparison.shared) best = { call, comparison };
      if (best.comparison.change === undefined) break;
    }
    return best && { ...best, ...cacheUse(facts, scale, best.call, best.comparison) };
  }
}

function factsOf({ facts, pieces }: ReadCall) {
  return { ...facts, estimated: tokensOf(pieces) };
}

function cacheUse(
  facts: CallFacts,
  scale: number,
  { facts: earlier }: ReadCall,
  { shared, change }: Comparison,
): Pick<ComparedCall, "tokensAgain" | "cause" | "gapMs"> {
  const gapMs = Math.max(0, facts.startMs - (earlier.endMs ?? facts.startMs));
  // Without cached tokens in any call, only a provider that caches by itself would have read the same text.
  const isKnown =
    facts.usesCache || (change !== undefined && facts.cached !== undefined && facts.isAutomatic);
  if (!isKnown || earlier.tokens === undefined || facts.tokens === undefined)
    return { tokensAgain: undefined, cause: undefined, gapMs };
  // A provider that reports what it wrote to the cache kept nothing else.
  const cacheable =
    earlier.cacheWrite === undefined ? earlier.tokens : (earlier.cached ?? 0) + earlier.cacheWrite;
  const again = Math.round(Math.min(cacheable, shared * scale) - (facts.cached ?? 0));
  const tokensAgain = again >= MIN_CACHED_TOKENS ? Math.min(again, facts.tokens) : 0;
  return { tokensAgain, cause: tokensAgain > 0 ? causeOf(change, gapMs) : undefined, gapMs };
}

/** The latest calls, as far as their texts are not too long together. */
function kept(calls: readonly ReadCall[]): readonly ReadCall[] {
  let characters = 0;
  const latest = calls.slice(-COMPARED_CALLS);
  const from = latest.findLastIndex(({ pieces }) => {
    characters += pieces.reduce((sum, { text }) => sum + text.length, 0);
    return characters > KEPT_CHARACTERS;
  });
  // The last call is kept in any case.
  return latest.slice(Math.min(from + 1, latest.length - 1));
}
