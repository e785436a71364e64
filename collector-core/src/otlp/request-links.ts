import type { Attributes, Span } from "@obspan/sdk/wire";
import { isRecord } from "../span/span-facts.js";

/** Types of spans whose usage counts: calls of a model. */
const INFERENCE_TYPES = ["llm", "embedding", "retrieval"] as const;
type InferenceType = (typeof INFERENCE_TYPES)[number];
/** A call inside one of these is another's: the call around it did not make it. */
const OWN_WORK: ReadonlySet<string | undefined> = new Set(["agent", "tool"]);

/** What a wrapper keeps for display, as `usage_total_…` (contract 6). */
const USAGE_KEYS: readonly string[] = [
  "tokens_input",
  "tokens_output",
  "tokens_cached",
  "tokens_reasoning",
  "cost_usd",
];

/** What was inside a span: a call of a model, or a span that failed. */
export type LinkKind = InferenceType | "failed" | "any";

/** What earlier requests said of spans that are still to come. */
export interface LinkMemory {
  /** There was one inside the span of that id. */
  remember(kind: LinkKind, traceId: string, spanId: string): void;
  has(kind: LinkKind, traceId: string, spanId: string): boolean;
}

const NO_MEMORY: LinkMemory = { remember: () => undefined, has: () => false };

/**
 * Settles what spans say together (contract 6): usage counts once, on the innermost call of a model, and an error once, on
 * the innermost span that failed of it. All parent links of a request are read first, for spans come in any order; what
 * is said of a parent that is not among them is remembered.
 */
export function settleLinks(spans: readonly Span[], memory: LinkMemory = NO_MEMORY): Span[] {
  const traces = new Map<string, Map<string, Span>>();
  for (const span of spans) {
    let ofTrace = traces.get(span.trace_id);
    if (ofTrace === undefined) traces.set(span.trace_id, (ofTrace = new Map<string, Span>()));
    ofTrace.set(span.span_id ?? "", span);
  }
  const parentOf = (span: Span): Span | undefined =>
    span.parent_span_id == null ? undefined : traces.get(span.trace_id)?.get(span.parent_span_id);
  const remember = (kind: LinkKind, { trace_id: traceId, parent_span_id: parentId }: Span): void => {
    if (parentId == null) return;
    memory.remember("any", traceId, parentId);
    memory.remember(kind, traceId, parentId);
  };
  const wrappers = new Set<Span>();
  const carriers = new Set<Span>();

  /** Marks the calls around a call of the same type, up to the agent or tool that it was made by. */
  function markWrappers(call: Span, type: InferenceType): void {
    const passed = new Set<Span>();
    let inner = call;
    for (;;) {
      passed.add(inner);
      const parent = parentOf(inner);
      if (parent === undefined) {
        remember(type, inner);
        return;
      }
      // What is around a known wrapper has been marked with it.
      if (passed.has(parent) || OWN_WORK.has(parent.span_type) || wrappers.has(parent)) return;
      if (parent.span_type === type) wrappers.add(parent);
      inner = parent;
    }
  }

  for (const span of spans) {
    const { span_type: ownType, trace_id: traceId, span_id: id = "" } = span;
    // One question for most spans: there was nothing inside them in an earlier request.
    const hasInside = memory.has("any", traceId, id);
    for (const type of INFERENCE_TYPES) {
      const hasCallInside = hasInside && !OWN_WORK.has(ownType) && memory.has(type, traceId, id);
      if (hasCallInside && ownType === type) wrappers.add(span);
      if (hasCallInside || ownType === type) markWrappers(span, type);
    }
    if (!hasFailed(span)) continue;
    if (hasInside && memory.has("failed", traceId, id)) carriers.add(span);
    const parent = parentOf(span);
    if (parent === undefined) remember("failed", span);
    else if (hasFailed(parent)) carriers.add(parent);
  }
  return spans.map((span) => {
    const isCall = INFERENCE_TYPES.some((type) => type === span.span_type);
    const settled = isCall && !wrappers.has(span) ? span : withoutUsage(span);
    return carriers.has(span) ? { ...settled, error_propagated: true } : settled;
  });
}

function hasFailed(span: Span): boolean {
  return span.status === "ERROR";
}

/** The span with its usage under the names of a sum that counts nowhere; the same one where it has none. */
function withoutUsage(span: Span): Span {
  const { attributes } = span;
  if (!isRecord(attributes) || !USAGE_KEYS.some((key) => Object.hasOwn(attributes, key))) return span;
  const renamed: Attributes = Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [
      USAGE_KEYS.includes(key) ? `usage_total_${key}` : key,
      value,
    ]),
  );
  return { ...span, attributes: renamed };
}
