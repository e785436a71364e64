import type { Attributes, Span } from "@obspan/sdk/wire";
import { isRecord } from "../span/span-facts.js";

/** Types of spans whose usage counts: calls of a model. */
const INFERENCE_TYPES: ReadonlySet<string> = new Set(["llm", "embedding", "retrieval"]);
/** A call inside one of these is another's: the call around it did not make it. */
const OWN_WORK: ReadonlySet<string> = new Set(["agent", "tool"]);

/** What a wrapper keeps for display, as `usage_total_…` (contract 6). */
const USAGE_KEYS = [
  "tokens_input",
  "tokens_output",
  "tokens_cached",
  "tokens_reasoning",
  "cost_usd",
] as const;

/**
 * Settles what the spans of a request say together (contract 6): usage counts once, on the innermost call of a model, and
 * an error once, on the innermost span that failed of it. All parent links are read first, for spans come in any order.
 */
export function settleLinks(spans: readonly Span[]): Span[] {
  const byId = new Map(spans.map((span) => [keyOf(span, span.span_id), span]));
  const wrappers = new Set<Span>();
  const carriers = new Set<Span>();
  for (const span of spans) {
    markWrappers(span, byId, wrappers);
    const parent = byId.get(keyOf(span, span.parent_span_id));
    if (hasFailed(span) && parent !== undefined && hasFailed(parent)) carriers.add(parent);
  }
  return spans.map((span) => {
    const settled =
      wrappers.has(span) || !INFERENCE_TYPES.has(span.span_type ?? "") ? withoutUsage(span) : span;
    return carriers.has(span) ? { ...settled, error_propagated: true } : settled;
  });
}

/** The spans around a call of the same type, up to the agent or tool that it was made by. */
function markWrappers(span: Span, byId: ReadonlyMap<string, Span>, wrappers: Set<Span>): void {
  const type = span.span_type ?? "";
  if (!INFERENCE_TYPES.has(type)) return;
  const passed = new Set([span]);
  let parent = byId.get(keyOf(span, span.parent_span_id));
  while (parent !== undefined && !passed.has(parent) && !OWN_WORK.has(parent.span_type ?? "")) {
    if (parent.span_type === type) {
      // What is around it has been marked with it, or will be with the call itself.
      if (wrappers.has(parent)) return;
      wrappers.add(parent);
    }
    passed.add(parent);
    parent = byId.get(keyOf(parent, parent.parent_span_id));
  }
}

function keyOf(span: Span, spanId: string | null | undefined): string {
  return spanId == null ? "" : `${span.trace_id} ${spanId}`;
}

function hasFailed(span: Span): boolean {
  return span.status === "ERROR";
}

/** The span with its usage under the names of a sum that counts nowhere; the same one where it has none. */
export function withoutUsage(span: Span): Span {
  const { attributes } = span;
  if (!isRecord(attributes) || !USAGE_KEYS.some((key) => Object.hasOwn(attributes, key))) return span;
  const renamed: Attributes = Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [
      (USAGE_KEYS as readonly string[]).includes(key) ? `usage_total_${key}` : key,
      value,
    ]),
  );
  return { ...span, attributes: renamed };
}
