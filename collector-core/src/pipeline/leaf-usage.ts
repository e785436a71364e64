import type { Clock } from "../interfaces.js";
import { RecentKeys } from "../recent-keys.js";
import type { SpanFacts } from "../span/span-facts.js";

/** How many parents of an inference are remembered, and for how long (contract 6). */
const REMEMBERED_PARENTS = 100_000;
const REMEMBERED_MS = 10 * 60_000;

/** Decides which span is the inference that counts (contract 6: tokens, cost and calls count once). */
export interface LeafUsage {
  /** Reads the parent links of spans that came together, before any of them is asked about: no order is relied on. */
  learn(spans: readonly { readonly facts: SpanFacts }[], tenant: string): void;
  /** False for a span of type `llm` inside which another one ran: a wrapper that repeats its usage. */
  countsUsage(span: SpanFacts, tenant: string): boolean;
}

/** Remembers across batches which spans had an inference inside them. */
export function createLeafUsage(clock: Pick<Clock, "monotonic">): LeafUsage {
  const parents = new RecentKeys({ capacity: REMEMBERED_PARENTS, ttlMs: REMEMBERED_MS, clock });
  return {
    learn(spans, tenant) {
      for (const { facts } of spans) {
        if (facts.spanType === "llm" && facts.parentSpanId !== "") {
          parents.add(spanKey(tenant, facts.traceId, facts.parentSpanId));
        }
      }
    },
    countsUsage: (span, tenant) =>
      span.spanType !== "llm" || !parents.has(spanKey(tenant, span.traceId, span.spanId)),
  };
}

/** Line breaks keep the three apart in all that senders write; a clash would cost one call its count, no more. */
function spanKey(tenant: string, traceId: string, spanId: string): string {
  return `${spanId}\n${traceId}\n${tenant}`;
}
