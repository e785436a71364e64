import type { SpanCost } from "../attributes.js";
import { CALLS_PER_STEP, type OutlinedCall, type SpanOutline } from "./call-outline.js";
import type { Steps } from "../in-steps.js";

/** What is reported of a call, without its texts. */
export interface CallFacts {
  readonly span: SpanOutline;
  readonly model: string | undefined;
  readonly startMs: number;
  readonly endMs: number | undefined;
  /** When a later call could read what this one sent from the cache; undefined while nothing was answered. */
  readonly answeredMs: number | undefined;
  readonly tokens: number | undefined;
  readonly cached: number | undefined;
  readonly cacheWrite: number | undefined;
  readonly cost: SpanCost | undefined;
  readonly ttftMs: number | undefined;
  /** Some call of the agent to the same model used the cache. */
  readonly usesCache: boolean;
  /** The provider caches without being asked. */
  readonly isAutomatic: boolean;
}

/** Providers that cache only what the request marks. */
const ON_REQUEST = /anthropic|claude|bedrock|aws|vertex/i;

/** The facts of the calls of an agent, which may be very many. */
export function* callFacts(calls: readonly OutlinedCall[]): Steps<readonly CallFacts[]> {
  const cachedModels = new Set<string | undefined>();
  for (const [index, call] of calls.entries()) {
    if (index % CALLS_PER_STEP === 0) yield;
    const { cached = 0, cacheWrite = 0 } = usageOf(call);
    if (cached > 0 || cacheWrite > 0) cachedModels.add(factOf(call, "model"));
  }
  const all: CallFacts[] = [];
  for (const [index, call] of calls.entries()) {
    if (index % CALLS_PER_STEP === 0) yield;
    all.push(factsOf(call, cachedModels));
  }
  return all;
}

function factsOf(call: OutlinedCall, cachedModels: ReadonlySet<string | undefined>): CallFacts {
  const { span } = call;
  const { startMs, endMs } = span;
  const model = factOf(call, "model");
  const tokens = factOf(call, "tokens");
  const ttftMs = factOf(call, "ttftMs");
  const { cached, cacheWrite } = usageOf(call);
  return {
    span,
    model,
    startMs,
    endMs,
    answeredMs: ttftMs === undefined ? endMs : startMs + ttftMs,
    tokens,
    cached: cached === undefined ? undefined : Math.min(cached, tokens ?? cached),
    cacheWrite,
    cost: factOf(call, "cost"),
    ttftMs,
    usesCache: cachedModels.has(model),
    isAutomatic: !ON_REQUEST.test(`${factOf(call, "provider") ?? ""} ${model ?? ""}`),
  };
}

function usageOf(call: OutlinedCall): Pick<SpanOutline, "cached" | "cacheWrite"> {
  return { cached: factOf(call, "cached"), cacheWrite: factOf(call, "cacheWrite") };
}

function factOf<Key extends keyof SpanOutline>(
  { span, wrappers }: OutlinedCall,
  key: Key,
): SpanOutline[Key] | undefined {
  return span[key] ?? wrappers.find((wrapper) => wrapper[key] !== undefined)?.[key];
}
