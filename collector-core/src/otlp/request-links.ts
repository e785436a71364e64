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

/** What was inside a span: a call of a model, one with other spans around it, or a span that failed. */
export type LinkKind = InferenceType | "llm below" | "failed" | "any";

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
 * is said of a parent that is not among them is remembered. A call that is another's parent is known for a wrapper
 * everywhere; one with spans of other types between them becomes a task, or it would count as a call.
 *
 * @returns settles one of them; it returns the same span where there is nothing to settle.
 */
export function settleLinks(spans: readonly Span[], memory: LinkMemory = NO_MEMORY): (span: Span) => Span {
  const ofTrace = groupByTrace(spans);
  const parentOf = (span: Span): Span | undefined =>
    span.parent_span_id == null ? undefined : ofTrace(span.trace_id)?.get(span.parent_span_id);
  const remember = (kind: LinkKind, { trace_id: traceId, parent_span_id: parentId }: Span): void => {
    if (parentId == null) return;
    memory.remember("any", traceId, parentId);
    memory.remember(kind, traceId, parentId);
  };
  /** The call around each call that has one, and all that have one inside, in this request or an earlier one. */
  const aroundOf = new Map<Span, Span>();
  const wrappers = new Set<Span>();
  /** Those of them whose own child is a call, which the pipeline tells from a call by itself. */
  const parentsOfCalls = new Set<Span>();
  const carriers = new Set<Span>();

  /** Finds the nearest span of a type around another, short of the agent or tool that it was made by. */
  const searchFor = (type: InferenceType): ((span: Span) => Span | undefined) =>
    rememberedOnPath((inner) => {
      const parent = parentOf(inner);
      if (parent === undefined)
        remember(type === "llm" && inner.span_type !== type ? "llm below" : type, inner);
      if (parent === undefined || OWN_WORK.has(parent.span_type)) return { found: undefined };
      return parent.span_type === type ? { found: parent } : { next: parent };
    });
  const searches = {
    llm: searchFor("llm"),
    embedding: searchFor("embedding"),
    retrieval: searchFor("retrieval"),
  };

  for (const span of spans) {
    const { span_type: ownType, trace_id: traceId, span_id: id = "" } = span;
    // One question for most spans: there was nothing inside them in an earlier request.
    const hasInside = memory.has("any", traceId, id);
    for (const type of INFERENCE_TYPES) {
      const isParent = hasInside && !OWN_WORK.has(ownType) && memory.has(type, traceId, id);
      const hasCallInside =
        isParent ||
        (hasInside && type === "llm" && !OWN_WORK.has(ownType) && memory.has("llm below", traceId, id));
      if (hasCallInside && ownType === type) wrappers.add(span);
      if (isParent && ownType === type) parentsOfCalls.add(span);
      if (!hasCallInside && ownType !== type) continue;
      const around = searches[type](span);
      if (around === undefined) continue;
      wrappers.add(around);
      if (ownType !== type) continue;
      aroundOf.set(span, around);
      if (parentOf(span) === around) parentsOfCalls.add(around);
    }
    if (!hasFailed(span)) continue;
    if (hasInside && memory.has("failed", traceId, id)) carriers.add(span);
    const parent = parentOf(span);
    if (parent === undefined) remember("failed", span);
    else if (hasFailed(parent)) carriers.add(parent);
  }
  const echoes = findEchoes(aroundOf);
  return (span) => {
    const settled = settleUsage(span);
    return carriers.has(span) ? { ...settled, error_propagated: true } : settled;
  };

  function settleUsage(span: Span): Span {
    if (echoes.calls.has(span)) return { ...span, span_type: "task" };
    const isCall = INFERENCE_TYPES.some((type) => type === span.span_type);
    if (isCall && (!wrappers.has(span) || echoes.sources.has(span))) return span;
    const isDistant = span.span_type === "llm" && !parentsOfCalls.has(span);
    return withoutUsage(isDistant ? { ...span, span_type: "task" } : span);
  }
}

/** The spans of each trace by their ids. Those of a trace follow each other mostly, and are asked for so. */
function groupByTrace(spans: readonly Span[]): (traceId: string) => ReadonlyMap<string, Span> | undefined {
  const traces = new Map<string, Map<string, Span>>();
  let lastId: string | undefined;
  let last: Map<string, Span> | undefined;
  const ofTrace = (traceId: string): Map<string, Span> | undefined => {
    if (traceId !== lastId) {
      last = traces.get(traceId);
      lastId = traceId;
    }
    return last;
  };
  for (const span of spans) {
    if (ofTrace(span.trace_id) === undefined) traces.set(span.trace_id, (last = new Map<string, Span>()));
    last?.set(span.span_id ?? "", span);
  }
  return ofTrace;
}

/**
 * Calls that say nothing of what they used, inside one that does: an instrumentation of a client that reads no usage from
 * streams, under one of a framework that does. The outer one is the call then, for its usage repeats nothing.
 */
function findEchoes(aroundOf: ReadonlyMap<Span, Span>): {
  calls: ReadonlySet<Span>;
  sources: ReadonlySet<Span>;
} {
  if (aroundOf.size === 0) return NO_ECHOES;
  const repeating = new Set<Span>();
  for (const call of aroundOf.keys()) {
    if (!hasUsage(call)) continue;
    for (let at = aroundOf.get(call); at !== undefined && !repeating.has(at); at = aroundOf.get(at))
      repeating.add(at);
  }
  const sourceOf = rememberedOnPath<Span>((inner) => {
    const around = aroundOf.get(inner);
    if (around === undefined) return { found: undefined };
    return hasUsage(around) ? { found: around } : { next: around };
  });
  const calls = new Set<Span>();
  const sources = new Set<Span>();
  for (const call of aroundOf.keys()) {
    const source = hasUsage(call) || repeating.has(call) ? undefined : sourceOf(call);
    if (source === undefined || repeating.has(source)) continue;
    calls.add(call);
    sources.add(source);
  }
  return { calls, sources };
}

const NO_ECHOES = { calls: new Set<Span>(), sources: new Set<Span>() };

/**
 * Goes from one to the next until something is found, and remembers it for all that were passed: however deep spans are
 * nested, each is passed once. One that comes back to itself finds nothing.
 */
function rememberedOnPath<T>(
  step: (at: T) => { readonly next: T } | { readonly found: T | undefined },
): (from: T) => T | undefined {
  let known: Map<T, T | undefined> | undefined;
  return (from) => {
    if (known?.has(from) === true) return known.get(from);
    const first = step(from);
    // Most paths end where they begin, and need no memory.
    if ("found" in first) return first.found;
    known ??= new Map();
    known.set(from, undefined);
    const passed = [from];
    let result: T | undefined;
    for (let at = first.next; ;) {
      if (known.has(at)) {
        result = known.get(at);
        break;
      }
      passed.push(at);
      known.set(at, undefined);
      const taken = step(at);
      if ("found" in taken) {
        result = taken.found;
        break;
      }
      at = taken.next;
    }
    for (const each of passed) known.set(each, result);
    return result;
  };
}

function hasUsage({ attributes }: Span): boolean {
  if (!isRecord(attributes)) return false;
  for (const key of USAGE_KEYS) if (Object.hasOwn(attributes, key)) return true;
  return false;
}

function hasFailed(span: Span): boolean {
  return span.status === "ERROR";
}

/** The span with its usage under the names of a sum that counts nowhere; the same one where it has none. */
function withoutUsage(span: Span): Span {
  const { attributes } = span;
  if (!isRecord(attributes) || !hasUsage(span)) return span;
  const renamed: Attributes = Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [
      USAGE_KEYS.includes(key) ? `usage_total_${key}` : key,
      value,
    ]),
  );
  return { ...span, attributes: renamed };
}
