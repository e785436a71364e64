import type { Span } from "@obspan/sdk/wire";
import type { Clock } from "../../runtime/clock.js";
import { originOf, withSpan, type PipelineSpan } from "../../span/pipeline-span.js";
import { createTurnIfDue } from "../../runtime/loop-turn.js";
import { runInTurns, type Steps } from "../../runtime/steps.js";
import { BUILT_IN_PATTERNS } from "./built-in-patterns.js";
import { compileCustomPattern, type CustomPattern } from "./custom-patterns.js";
import { createKeyReader, NO_MEANING } from "./key-meaning.js";
import { arrayInSteps, attributesInSteps, isLongerThanPiece, valueInSteps } from "./redact-in-steps.js";
import type { Redactor, SpanAndTextRedactor } from "./redactor.js";
import { createTextRedactor } from "./text-redactor.js";
import { createValueRedactor, type ValueRedactor } from "./value-redactor.js";

/** Counters of redaction (contract 4). */
export interface RedactionCounters {
  /** Counts replaced matches by pattern. */
  redacted(pattern: string, matches: number): void;
  /** Counts a failed redaction; the span was dropped or kept unredacted. */
  redactionFailed(action: "dropped" | "kept"): void;
}

/** Options of {@link createSpanRedactor}: the section `redaction` of the configuration and its collaborators. */
export interface SpanRedactorOptions {
  readonly maxTextLength: number;
  readonly dropOnFailure: boolean;
  readonly customPatterns: readonly CustomPattern[];
  readonly counters: RedactionCounters;
  /** Called with the first failure of an episode. An episode ends after a minute without failures. */
  readonly onFailure: (error: unknown) => void;
  readonly clock: Pick<Clock, "monotonic">;
  /** Yields to the event loop within a large span. Ingestion waits for it, so it must not queue behind queries. */
  readonly nextTurn: () => Promise<void>;
}

/** Time per turn of the event loop for redaction. */
const SLICE_MS = 5;

/** Time without failures that ends a failure episode. */
const EPISODE_MS = 60_000;

/**
 * Redacts name, type and status of spans, and all text in attributes and events at any depth, except for label
 * attributes (contract 6: "every attribute that carries text").
 */
export function createSpanRedactor(options: SpanRedactorOptions): SpanAndTextRedactor {
  const { counters, clock, nextTurn } = options;
  // All spans share one time slice, because many short redactions together can block the event loop too.
  const yieldIfDue = createTurnIfDue({ clock, sliceMs: SLICE_MS, nextTurn });
  const onRedacted = (pattern: string, matches: number): void => counters.redacted(pattern, matches);
  const values = createValueRedactor({
    textRedactor: createTextRedactor({
      maxTextLength: options.maxTextLength,
      builtInPatterns: BUILT_IN_PATTERNS,
      customPatterns: options.customPatterns.map((pattern, index) =>
        compileCustomPattern(pattern, { position: index + 1, clock }),
      ),
      onRedacted,
    }),
    readKey: createKeyReader(BUILT_IN_PATTERNS),
    onRedacted,
  });
  return {
    ...withFailureAction(
      {
        redact: (span) =>
          isLong(span) ? redactInSlices(span, values, yieldIfDue) : redactSpan(span, values),
      },
      options,
    ),
    redactText: (text) => values.text(text),
  };
}

/** A span of a batch up to this size is redacted synchronously, which takes a few milliseconds at most. */
const SMALL_BATCH_BYTES = 64 * 1024;

/** True when a span is large enough to be redacted in time slices. */
function isLong(pipelineSpan: PipelineSpan): boolean {
  const { batch } = originOf(pipelineSpan);
  if (batch !== undefined && batch.body.length <= SMALL_BATCH_BYTES) return false;
  const { span } = pipelineSpan;
  return isLongerThanPiece(span.attributes) || isLongerThanPiece(span.events);
}

function redactSpan(pipelineSpan: PipelineSpan, values: ValueRedactor): PipelineSpan {
  const { span } = pipelineSpan;
  return withRedacted(
    pipelineSpan,
    values,
    values.attributes(span.attributes),
    redactEvents(span.events, values),
  );
}

async function redactInSlices(
  pipelineSpan: PipelineSpan,
  values: ValueRedactor,
  yieldIfDue: () => Promise<void> | undefined,
): Promise<PipelineSpan> {
  const { span } = pipelineSpan;
  const attributes = await runInTurns(attributesInSteps(values, span.attributes), yieldIfDue);
  const events = await runInTurns(eventsInSteps(span.events, values), yieldIfDue);
  return withRedacted(pipelineSpan, values, attributes, events);
}

/** The types and statuses of contract 1, which contain no personal data. */
const SAFE_NAMES: ReadonlySet<unknown> = new Set([
  ...[undefined, "OK", "ERROR", "RUNNING"],
  ...["llm", "embedding", "retrieval", "tool", "agent", "task", "workflow", "evaluation", "span"],
]);

/** Returns the same span when nothing changes, so that its received bytes can be stored. Otherwise returns a copy. */
function withRedacted(
  pipelineSpan: PipelineSpan,
  values: ValueRedactor,
  attributes: unknown,
  events: unknown,
): PipelineSpan {
  const { span } = pipelineSpan;
  const name = values.text(span.name);
  const spanType = redactName(span.span_type, values);
  const status = redactName(span.status, values);
  if (
    name === span.name &&
    attributes === span.attributes &&
    events === span.events &&
    spanType === span.span_type &&
    status === span.status
  )
    return pipelineSpan;

  // Assignment to a plain copy is several times faster than a spread with overrides.
  const redacted: Record<string, unknown> = { ...span };
  if (name !== span.name) redacted["name"] = name;
  if (spanType !== span.span_type) redacted["span_type"] = spanType;
  if (status !== span.status) redacted["status"] = status;
  if (attributes !== undefined) redacted["attributes"] = attributes;
  if (events !== undefined) redacted["events"] = events;
  return withSpan(pipelineSpan, redacted as unknown as Span);
}

function redactName(name: unknown, values: ValueRedactor): unknown {
  return SAFE_NAMES.has(name) ? name : values.value(name);
}

/** Redacts unvalidated events: items that are not events are still included. */
function redactEvents(events: unknown, values: ValueRedactor): unknown {
  if (!Array.isArray(events)) return values.value(events);
  let changed: unknown[] | undefined;
  events.forEach((event: unknown, index) => {
    const redacted = redactEvent(event, values);
    if (redacted === event) return;
    changed ??= [...(events as unknown[])];
    changed[index] = redacted;
  });
  return changed ?? events;
}

function redactEvent(event: unknown, values: ValueRedactor): unknown {
  return isEvent(event) ? withEvent(event, values.attributes(event.attributes), values) : values.value(event);
}

function* eventsInSteps(events: unknown, values: ValueRedactor): Steps<unknown> {
  if (!isLongerThanPiece(events)) return redactEvents(events, values);
  if (!Array.isArray(events)) return yield* valueInSteps(values, events, NO_MEANING);
  return yield* arrayInSteps(events, function* (event) {
    yield;
    if (!isEvent(event)) return yield* valueInSteps(values, event, NO_MEANING);
    return withEvent(event, yield* attributesInSteps(values, event.attributes), values);
  });
}

interface AnyEvent {
  readonly name?: unknown;
  readonly attributes?: unknown;
}

function isEvent(event: unknown): event is AnyEvent {
  return typeof event === "object" && event !== null && !Array.isArray(event);
}

function withEvent(event: AnyEvent, attributes: unknown, values: ValueRedactor): AnyEvent {
  const { name } = event;
  const redactedName = typeof name === "string" ? values.text(name) : name;
  if (redactedName === name && attributes === event.attributes) return event;
  return { ...event, name: redactedName, attributes };
}

/** Applies `redaction.drop_on_failure`: drops or keeps the span when the redactor throws (spec 4.9 rule 4). */
export function withFailureAction(
  redactor: Redactor,
  options: Pick<SpanRedactorOptions, "dropOnFailure" | "counters" | "onFailure" | "clock">,
): Redactor {
  const { dropOnFailure, counters, onFailure, clock } = options;
  let failedAtMs = -Infinity;

  function fail(span: PipelineSpan, error: unknown): PipelineSpan | undefined {
    const nowMs = clock.monotonic();
    if (nowMs - failedAtMs >= EPISODE_MS) onFailure(error);
    failedAtMs = nowMs;
    counters.redactionFailed(dropOnFailure ? "dropped" : "kept");
    return dropOnFailure ? undefined : span;
  }

  return {
    redact(span) {
      try {
        const redacted = redactor.redact(span);
        return redacted instanceof Promise ? redacted.catch((error: unknown) => fail(span, error)) : redacted;
      } catch (error) {
        return fail(span, error);
      }
    },
  };
}
