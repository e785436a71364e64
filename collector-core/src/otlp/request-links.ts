import type { Attributes, Span } from "@obspan/sdk/wire";
import type { Steps } from "../runtime/steps.js";
import { isRecord } from "../span/span-facts.js";

/** Types of model calls, whose usage counts. */
const INFERENCE_TYPES = ["llm", "embedding", "retrieval"] as const;
type InferenceType = (typeof INFERENCE_TYPES)[number];
/** Types that start their own calls: a call inside one of them is not part of the call around it. */
const OWN_WORK: ReadonlySet<string | undefined> = new Set(["agent", "tool"]);

/** Attributes that a wrapper keeps for display as `usage_total_…` (contract 6). */
const USAGE_KEYS: readonly string[] = [
  "tokens_input",
  "tokens_output",
  "tokens_cached",
  "tokens_cache_write",
  "tokens_reasoning",
  "cost_usd",
];

/** Kinds of descendants of a span: a model call, a model call below other spans, a failed span, or any of these. */
export type LinkKind = InferenceType | "llm below" | "failed" | "any";

/** Facts from earlier requests about spans that have not arrived yet. */
export interface LinkMemory {
  /** Records that the span with this id has a descendant of a kind. */
  remember(kind: LinkKind, traceId: string, spanId: string): void;
  has(kind: LinkKind, traceId: string, spanId: string): boolean;
}

const NO_MEMORY: LinkMemory = { remember: () => undefined, has: () => false };

/** Spans, or links between them, that one step looks at: a millisecond. */
const LINKS_PER_STEP = 1000;

/**
 * Resolves usage and errors across spans (contract 6): usage counts once, on the innermost model call, and an error once,
 * on the innermost span that failed of it. Reads all parent links of a request first, since spans arrive in any order, and
 * records facts about parents in other requests. The pipeline recognizes a call with a direct child call as a wrapper. A
 * call with spans of other types in between becomes a task, since it would otherwise count as a call.
 *
 * @returns a function that resolves one of the spans. It returns the same span if nothing changes.
 */
export function* resolveLinks(
  spans: readonly Span[],
  memory: LinkMemory = NO_MEMORY,
): Steps<(span: Span) => Span> {
  const ofTrace = yield* groupByTrace(spans);
  const parentOf = (span: Span): Span | undefined =>
    span.parent_span_id == null ? undefined : ofTrace(span.trace_id)?.get(span.parent_span_id);
  const remember = (kind: LinkKind, { trace_id: traceId, parent_span_id: parentId }: Span): void => {
    if (parentId == null) return;
    memory.remember("any", traceId, parentId);
    memory.remember(kind, traceId, parentId);
  };
  /** The enclosing call of each call, and all calls with an inner call in this or an earlier request. */
  const aroundOf = new Map<Span, Span>();
  const wrappers = new Set<Span>();
  /** Wrappers with a direct child call, which the pipeline recognizes itself. */
  const parentsOfCalls = new Set<Span>();
  const carriers = new Set<Span>();

  /** Finds the nearest enclosing span of a type, up to the agent or tool that started the span. */
  const searchFor = (type: InferenceType): MemoizedSearch<Span> =>
    new MemoizedSearch((inner) => {
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

  for (const [index, span] of spans.entries()) {
    if (isEndOfStep(index)) yield;
    const { span_type: ownType, trace_id: traceId, span_id: id = "" } = span;
    // One lookup suffices for most spans: earlier requests had no descendants of them.
    const hasDescendant = memory.has("any", traceId, id);
    for (const type of INFERENCE_TYPES) {
      const isParent = hasDescendant && !OWN_WORK.has(ownType) && memory.has(type, traceId, id);
      const hasInnerCall =
        isParent ||
        (hasDescendant && type === "llm" && !OWN_WORK.has(ownType) && memory.has("llm below", traceId, id));
      if (hasInnerCall && ownType === type) wrappers.add(span);
      if (isParent && ownType === type) parentsOfCalls.add(span);
      if (!hasInnerCall && ownType !== type) continue;
      const around = yield* searches[type].find(span);
      if (around === undefined) continue;
      wrappers.add(around);
      if (ownType !== type) continue;
      aroundOf.set(span, around);
      if (parentOf(span) === around) parentsOfCalls.add(around);
    }
    if (!hasFailed(span)) continue;
    if (hasDescendant && memory.has("failed", traceId, id)) carriers.add(span);
    const parent = parentOf(span);
    if (parent === undefined) remember("failed", span);
    else if (hasFailed(parent)) carriers.add(parent);
  }
  const echoes = yield* findEchoes(aroundOf);
  return (span) => {
    const resolved = resolveUsage(span);
    return carriers.has(span) ? { ...resolved, error_propagated: true } : resolved;
  };

  function resolveUsage(span: Span): Span {
    if (echoes.calls.has(span)) return { ...span, span_type: "task" };
    const isCall = INFERENCE_TYPES.some((type) => type === span.span_type);
    if (isCall && (!wrappers.has(span) || echoes.sources.has(span))) return span;
    const isDistant = span.span_type === "llm" && !parentsOfCalls.has(span);
    return withoutUsage(isDistant ? { ...span, span_type: "task" } : span);
  }
}

function isEndOfStep(index: number): boolean {
  return index % LINKS_PER_STEP === LINKS_PER_STEP - 1;
}

/** The spans of each trace by id. Caches the last trace, since spans of a trace are usually consecutive. */
function* groupByTrace(
  spans: readonly Span[],
): Steps<(traceId: string) => ReadonlyMap<string, Span> | undefined> {
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
  for (const [index, span] of spans.entries()) {
    if (isEndOfStep(index)) yield;
    if (ofTrace(span.trace_id) === undefined) traces.set(span.trace_id, (last = new Map<string, Span>()));
    last?.set(span.span_id ?? "", span);
  }
  return ofTrace;
}

/**
 * Finds calls without usage inside a call with usage, such as a client instrumentation that reads no usage from streams
 * under a framework that does. The outer call then counts, since its usage repeats nothing.
 */
function* findEchoes(aroundOf: ReadonlyMap<Span, Span>): Steps<{
  calls: ReadonlySet<Span>;
  sources: ReadonlySet<Span>;
}> {
  if (aroundOf.size === 0) return NO_ECHOES;
  const repeating = new Set<Span>();
  let links = 0;
  for (const call of aroundOf.keys()) {
    if (isEndOfStep(links++)) yield;
    if (!hasUsage(call)) continue;
    for (let at = aroundOf.get(call); at !== undefined && !repeating.has(at); at = aroundOf.get(at)) {
      if (isEndOfStep(links++)) yield;
      repeating.add(at);
    }
  }
  const sourceOf = new MemoizedSearch<Span>((inner) => {
    const around = aroundOf.get(inner);
    if (around === undefined) return { found: undefined };
    return hasUsage(around) ? { found: around } : { next: around };
  });
  const calls = new Set<Span>();
  const sources = new Set<Span>();
  for (const call of aroundOf.keys()) {
    if (isEndOfStep(links++)) yield;
    const source = hasUsage(call) || repeating.has(call) ? undefined : yield* sourceOf.find(call);
    if (source === undefined || repeating.has(source)) continue;
    calls.add(call);
    sources.add(source);
  }
  return { calls, sources };
}

const NO_ECHOES = { calls: new Set<Span>(), sources: new Set<Span>() };

/** The next element of a search, or what it has found. */
type SearchStep<T> = { readonly next: T } | { readonly found: T | undefined };

/**
 * Follows links until one finds a result, and caches the result for all visited elements, so that each is visited once
 * however deep spans are nested. A cycle finds nothing.
 *
 * A class, because a request that made a generator function of its own would outlive the collections of young garbage: V8
 * gives each such function a map in the old space, and the map refers to all that the function can see.
 */
class MemoizedSearch<T> {
  readonly #step: (at: T) => SearchStep<T>;
  #cache: Map<T, T | undefined> | undefined;

  constructor(step: (at: T) => SearchStep<T>) {
    this.#step = step;
  }

  *find(from: T): Steps<T | undefined> {
    if (this.#cache?.has(from) === true) return this.#cache.get(from);
    const first = this.#step(from);
    // Most searches end at the first step and need no cache.
    if ("found" in first) return first.found;
    return yield* this.#follow(from, first.next);
  }

  *#follow(from: T, next: T): Steps<T | undefined> {
    const cache = (this.#cache ??= new Map<T, T | undefined>());
    cache.set(from, undefined);
    const passed = [from];
    let result: T | undefined;
    for (let at = next; ;) {
      if (cache.has(at)) {
        result = cache.get(at);
        break;
      }
      if (isEndOfStep(passed.length)) yield;
      passed.push(at);
      cache.set(at, undefined);
      const taken = this.#step(at);
      if ("found" in taken) {
        result = taken.found;
        break;
      }
      at = taken.next;
    }
    for (const [index, each] of passed.entries()) {
      if (isEndOfStep(index)) yield;
      cache.set(each, result);
    }
    return result;
  }
}

function hasUsage({ attributes }: Span): boolean {
  if (!isRecord(attributes)) return false;
  for (const key of USAGE_KEYS) if (Object.hasOwn(attributes, key)) return true;
  return false;
}

function hasFailed(span: Span): boolean {
  return span.status === "ERROR";
}

/** Renames the usage of a span to `usage_total_…`, which no metric counts. Returns the same span if it has none. */
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
