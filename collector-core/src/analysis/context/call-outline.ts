import type { NormalizedSpan } from "../../api-schema/trace.js";
import { costOf, numberOf, textOf, type SpanCost } from "../attributes.js";
import { millisecondsBetween } from "../instant.js";
import { knownKind } from "./known-texts.js";
import type { Steps } from "../in-steps.js";

/** Attributes that {@link outlineOf} reads. */
export const OUTLINE_ATTRIBUTES: ReadonlySet<string> = new Set([
  "model",
  "provider",
  "agent",
  "tokens_input",
  "tokens_cached",
  "tokens_cache_write",
  "cost_usd",
  "ttft_ms",
]);

/** What a context needs to know of each span of a trace, without its texts. */
export interface SpanOutline {
  readonly id: string;
  readonly parentId: string | null;
  readonly type: string;
  readonly name: string;
  readonly agent: string | undefined;
  readonly model: string | undefined;
  readonly provider: string | undefined;
  /** Milliseconds from the start of the trace. */
  readonly startMs: number;
  readonly endMs: number | undefined;
  readonly tokens: number | undefined;
  readonly cached: number | undefined;
  readonly cacheWrite: number | undefined;
  readonly cost: SpanCost | undefined;
  readonly ttftMs: number | undefined;
  /** Returns documents or memories. */
  readonly isSource: boolean;
}

/** @param startTime - of the trace. */
export function outlineOf(span: NormalizedSpan, startTime: string): SpanOutline {
  const startMs = millisecondsBetween(startTime, span.start_time) ?? 0;
  const isRunning = span.status === "RUNNING" && span.duration_ms === null;
  return {
    id: span.span_id,
    parentId: span.parent_span_id,
    type: span.span_type,
    name: span.name,
    agent: textOf(span, "agent"),
    model: textOf(span, "model"),
    provider: textOf(span, "provider"),
    startMs,
    endMs: isRunning ? undefined : startMs + (span.duration_ms ?? 0),
    tokens: countOf(span, "tokens_input"),
    cached: countOf(span, "tokens_cached"),
    cacheWrite: countOf(span, "tokens_cache_write"),
    cost: costOf(span),
    ttftMs: numberOf(span, "ttft_ms"),
    isSource: knownKind(span.span_type, span.name) !== undefined,
  };
}

function countOf(span: NormalizedSpan, key: string): number | undefined {
  const count = numberOf(span, key);
  return count === undefined || count < 0 ? undefined : Math.round(count);
}

/** Spans or calls that are read in one step: a trace may have a hundred thousand. */
export const CALLS_PER_STEP = 1000;

/** A model call of an agent. */
export interface OutlinedCall {
  readonly span: SpanOutline;
  /** Its wrappers, from inside: a wrapper with several calls is none of them. */
  readonly wrappers: readonly SpanOutline[];
}

/** The calls of the agent that made a call. */
export interface AgentCalls {
  readonly agent: string | undefined;
  /** In order of start. */
  readonly calls: readonly OutlinedCall[];
  readonly target: OutlinedCall;
}

/**
 * Finds the calls of the agent that made a call: those of all spans of the agent's name, as an agent may be started several
 * times. Calls outside of agents belong together.
 *
 * @returns undefined if the span is no model call, or a wrapper of several.
 */
export function* agentCallsOf(
  outlines: readonly SpanOutline[],
  spanId: string,
): Steps<AgentCalls | undefined> {
  const byId = new Map<string, SpanOutline>();
  for (const [index, outline] of outlines.entries()) {
    if (index % CALLS_PER_STEP === 0) yield;
    byId.set(outline.id, outline);
  }
  const callsBelow = yield* countCallsBelow(outlines, byId);
  const agents = new Map<string, string | undefined>();
  const calls: { call: OutlinedCall; agent: string | undefined }[] = [];
  for (const [index, span] of outlines.entries()) {
    if (index % CALLS_PER_STEP === 0) yield;
    if (span.type !== "llm" || callsBelow.has(span.id)) continue;
    calls.push({
      call: { span, wrappers: wrappersOf(span, byId, callsBelow) },
      agent: agentAbove(span, byId, agents),
    });
  }
  yield;
  const found = calls.find(
    ({ call }) => call.span.id === spanId || call.wrappers.some(({ id }) => id === spanId),
  );
  if (found === undefined) return undefined;
  yield;
  const own = calls.filter(({ agent }) => agent === found.agent).map(({ call }) => call);
  const ordered = own.toSorted((a, b) => a.span.startMs - b.span.startMs);
  return { agent: found.agent, calls: ordered, target: found.call };
}

type ById = ReadonlyMap<string, SpanOutline>;

/** Spans above; a cycle of parents ends where it closes. */
function* ancestorsOf({ id, parentId }: SpanOutline, byId: ById): Generator<SpanOutline> {
  const seen = new Set([id]);
  for (let above = parentId; above !== null && !seen.has(above);) {
    const span = byId.get(above);
    if (span === undefined) return;
    seen.add(above);
    yield span;
    above = span.parentId;
  }
}

/** The innermost calls inside each span; at most two are counted. */
function* countCallsBelow(outlines: readonly SpanOutline[], byId: ById): Steps<ReadonlyMap<string, number>> {
  const inner = new Set<string>();
  const calls = outlines.filter(({ type }) => type === "llm");
  for (const [index, call] of calls.entries()) {
    for (const above of ancestorsOf(call, byId)) {
      if (inner.has(above.id)) break;
      inner.add(above.id);
    }
    if (index % CALLS_PER_STEP === 0) yield;
  }
  const counts = new Map<string, number>();
  for (const [index, call] of calls.entries()) {
    if (inner.has(call.id)) continue;
    for (const above of ancestorsOf(call, byId)) {
      const count = counts.get(above.id) ?? 0;
      if (count >= 2) break;
      counts.set(above.id, count + 1);
    }
    if (index % CALLS_PER_STEP === 0) yield;
  }
  return counts;
}

function wrappersOf(span: SpanOutline, byId: ById, callsBelow: ReadonlyMap<string, number>): SpanOutline[] {
  const wrappers: SpanOutline[] = [];
  for (const above of ancestorsOf(span, byId)) {
    if (callsBelow.get(above.id) !== 1) break;
    if (above.type === "llm") wrappers.push(above);
  }
  return wrappers;
}

/** The name of the nearest agent around a span. */
function agentAbove(
  span: SpanOutline,
  byId: ById,
  known: Map<string, string | undefined>,
): string | undefined {
  const passed: string[] = [];
  let agent: string | undefined;
  for (const above of ancestorsOf(span, byId)) {
    if (known.has(above.id)) {
      agent = known.get(above.id);
      break;
    }
    passed.push(above.id);
    if (above.type !== "agent") continue;
    agent = above.agent ?? above.name;
    break;
  }
  for (const id of passed) known.set(id, agent);
  return agent;
}
