import {
  KNOWN_ATTRIBUTES,
  type Attributes,
  type JsonValue,
  type Span,
  type SpanEvent,
} from "@obspan/sdk/wire";
import type { NormalizedSpan } from "../api-schema/trace.js";
import {
  CHECKED_ATTRIBUTES,
  isRecord,
  readSpanFacts,
  type BatchContext,
  type SpanFacts,
} from "./span-facts.js";
import { formatInstant, parseTimestamp } from "./timestamp.js";

/** Events kept of a span (contract 1). */
export const MAX_EVENTS = 128;

/**
 * Normalizes a span for a response: fills in defaults, formats times in RFC 3339 and leaves out invalid values (contract 1).
 * Runs when a span is read, so that the store can keep the received bytes.
 *
 * @param generatedSpanId - the generated id of a span that arrived without one.
 * @param computedCostUsd - the cost that the collector computed.
 */
export function normalizeSpan(
  span: Span,
  context: BatchContext,
  generatedSpanId?: string,
  computedCostUsd?: number,
): NormalizedSpan {
  const unusable = new Set<string>();
  const read = readSpanFacts(span, context, generatedSpanId, (field) => unusable.add(field));
  const facts = withStoredCost(read, computedCostUsd);
  return {
    trace_id: facts.traceId,
    span_id: facts.spanId,
    parent_span_id: facts.parentSpanId === "" ? null : facts.parentSpanId,
    name: facts.name,
    span_type: facts.spanType,
    status: facts.status,
    start_time: formatInstant(facts.start),
    end_time: facts.end === undefined ? null : formatInstant(facts.end),
    duration_ms: facts.durationMs ?? null,
    service: context.service,
    env: context.env,
    version: context.version ?? null,
    attributes: usableAttributes(span.attributes, unusable),
    events: usableEvents(span.events),
    ...(facts.errorPropagated ? { error_propagated: true } : {}),
    ...(facts.costUsd === undefined || facts.costSource === undefined
      ? {}
      : { cost_usd: facts.costUsd, cost_source: facts.costSource }),
  };
}

/** The facts of a stored span with the cost that the store has beside it. */
export function withStoredCost(facts: SpanFacts, computedCostUsd: number | undefined): SpanFacts {
  return computedCostUsd === undefined || facts.costUsd !== undefined
    ? facts
    : { ...facts, costUsd: computedCostUsd, costSource: "computed" };
}

function usableAttributes(attributes: unknown, unusable: ReadonlySet<string>): Attributes {
  if (!isRecord(attributes)) return {};
  const entries = Object.entries(attributes) as [string, JsonValue][];
  // fromEntries defines properties: an assignment to `__proto__` would set the prototype.
  return Object.fromEntries(entries.filter(([key]) => !(CHECKED_ATTRIBUTES.has(key) && unusable.has(key))));
}

function usableEvents(events: unknown): SpanEvent[] {
  if (!Array.isArray(events)) return [];
  const kept: SpanEvent[] = [];
  for (const event of events as unknown[]) {
    if (kept.length === MAX_EVENTS) break;
    if (!isRecord(event) || typeof event["name"] !== "string") continue;
    const time = parseTimestamp(event["time"]);
    kept.push({
      name: event["name"],
      ...(time === undefined ? {} : { time: formatInstant(time) }),
      attributes: isRecord(event["attributes"]) ? (event["attributes"] as Attributes) : {},
    });
  }
  return kept;
}

/**
 * Keeps at most `max` attributes: known ones first, then the others in order. Drops the rest silently (spec 2.2 rule 1,
 * contract 1).
 *
 * @returns the same span if it is within the cap.
 */
export function capAttributes(span: Span, max: number): Span {
  const { attributes } = span;
  if (!isRecord(attributes)) return span;
  if (Object.keys(attributes).length <= max) return span;

  const known = KNOWN_ATTRIBUTES.filter((key) => Object.hasOwn(attributes, key));
  const isKnown = new Set<string>(known);
  const others = Object.keys(attributes).filter((key) => !isKnown.has(key));
  const kept = [...known, ...others].slice(0, max);
  return {
    ...span,
    attributes: Object.fromEntries(kept.map((key) => [key, attributes[key] as JsonValue])),
  };
}
