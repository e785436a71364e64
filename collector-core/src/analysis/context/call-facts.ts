import type { OutlinedCall, SpanOutline } from "./call-outline.js";

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
  readonly costUsd: number | undefined;
  readonly ttftMs: number | undefined;
  /** Some call of the agent to the same model used the cache. */
  readonly usesCache: boolean;
  /** The provider caches without being asked. */
  readonly isAutomatic: boolean;
}

/** Providers that cache only what the request marks. */
const ON_REQUEST = /anthropic|claude|bedrock|aws|vertex/i;

/** The facts of the calls of an agent. */
export function callFacts(calls: readonly OutlinedCall[]): readonly CallFacts[] {
  const all = calls.map((call) => ({
    span: call.span,
    model: factOf(call, "model"),
    provider: factOf(call, "provider"),
    tokens: factOf(call, "tokens"),
    cached: factOf(call, "cached"),
    cacheWrite: factOf(call, "cacheWrite"),
    costUsd: factOf(call, "costUsd"),
    ttftMs: factOf(call, "ttftMs"),
  }));
  const cachedModels = new Set(
    all.filter(({ cached = 0, cacheWrite = 0 }) => cached > 0 || cacheWrite > 0).map(({ model }) => model),
  );
  return all.map(({ provider, ...facts }) => {
    const { startMs, endMs } = facts.span;
    const firstMs = facts.ttftMs === undefined ? undefined : startMs + facts.ttftMs;
    return {
      ...facts,
      cached: facts.cached === undefined ? undefined : Math.min(facts.cached, facts.tokens ?? facts.cached),
      startMs,
      endMs,
      answeredMs: firstMs ?? endMs,
      usesCache: cachedModels.has(facts.model),
      isAutomatic: !ON_REQUEST.test(`${provider ?? ""} ${facts.model ?? ""}`),
    };
  });
}

function factOf<Key extends keyof SpanOutline>(
  { span, wrappers }: OutlinedCall,
  key: Key,
): SpanOutline[Key] | undefined {
  return [span, ...wrappers].map((each) => each[key]).find((value) => value !== undefined);
}
