import type { Span } from "@obspan/sdk/wire";
import type { Clock } from "../../runtime/clock.js";
import { originOf, withSpan, type PipelineSpan } from "../../span/pipeline-span.js";
import { createTurnIfDue } from "../../runtime/loop-turn.js";
import { BUILT_IN_PATTERNS } from "./built-in-patterns.js";
import { compileCustomPattern, type CustomPattern } from "./custom-patterns.js";
import { createKeyReader, NO_MEANING } from "./key-meaning.js";
import {
  arrayInSteps,
  attributesInSteps,
  isLongerThanPiece,
  valueInSteps,
  type Steps,
} from "./redact-in-steps.js";
import type { Redactor, SpanAndTextRedactor } from "./redactor.js";
import { createTextRedactor } from "./text-redactor.js";
import { createValueRedactor, type ValueRedactor } from "./value-redactor.js";

/** Where redaction reports what it did (contract 4). */
export interface RedactionCounters {
  /** Matches that were replaced, by pattern. */
  redacted(pattern: string, matches: number): void;
  /** Redaction of a span failed: it was dropped, or kept as it came. */
  redactionFailed(action: "dropped" | "kept"): void;
}

/** What {@link createSpanRedactor} needs: the keys of the section `redaction`, and whom to tell. */
export interface SpanRedactorOptions {
  readonly maxTextLength: number;
  readonly dropOnFailure: boolean;
  readonly customPatterns: readonly CustomPattern[];
  readonly counters: RedactionCounters;
  /** Told of the first failure of an episode, which is over after a minute without one. */
  readonly onFailure: (error: unknown) => void;
  readonly clock: Pick<Clock, "monotonic">;
  /** Lets the event loop turn amid a large span. Ingestion waits for it: it must not queue behind questions. */
  readonly nextTurn: () => Promise<void>;
}

/** How long spans are redacted in one turn of the event loop. */
const SLICE_MS = 5;

/** A failure so long after the last one is news again. */
const EPISODE_MS = 60_000;

/**
 * Redacts spans: their name, type and status, and every text in their attributes and in those of their events, however deep, but for
 * the few attributes that are labels (contract 6: "every attribute that carries text").
 */
export function createSpanRedactor(options: SpanRedactorOptions): SpanAndTextRedactor {
  const { counters, clock, nextTurn } = options;
  // All spans share it: many spans that take less than a slice each would hold the loop together.
  const turnIfDue = createTurnIfDue({ clock, sliceMs: SLICE_MS, nextTurn });
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
        redact: (span) => (isLong(span) ? redactInSlices(span, values, turnIfDue) : redactSpan(span, values)),
      },
      options,
    ),
    redactText: (text) => values.text(text),
  };
}

/** A span of a batch that is no larger is redacted at once: it takes milliseconds at most. */
const SMALL_BATCH_BYTES = 64 * 1024;

/** True where a span is so long that the event loop is to have its turn meanwhile. */
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
  turnIfDue: () => Promise<void> | undefined,
): Promise<PipelineSpan> {
  const { span } = pipelineSpan;
  const finish = async (steps: Steps<unknown>): Promise<unknown> => {
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      const turn = turnIfDue();
      if (turn !== undefined) await turn;
    }
  };
  const attributes = await finish(attributesInSteps(values, span.attributes));
  const events = await finish(eventsInSteps(span.events, values));
  return withRedacted(pipelineSpan, values, attributes, events);
}

/** The types that a span may have by itself (contract 1): none of them says anything about anybody. */
const KNOWN_NAMES: ReadonlySet<unknown> = new Set([
  ...[undefined, "OK", "ERROR", "RUNNING"],
  ...["llm", "embedding", "retrieval", "tool", "agent", "task", "workflow", "evaluation", "span"],
]);

/** The span where nothing in it changes, so that its bytes can be kept as they came; else a new one. */
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

  // Copied first and changed then, which takes a fraction of the time that a copy with other values takes.
  const redacted: Record<string, unknown> = { ...span };
  if (name !== span.name) redacted["name"] = name;
  if (spanType !== span.span_type) redacted["span_type"] = spanType;
  if (status !== span.status) redacted["status"] = status;
  if (attributes !== undefined) redacted["attributes"] = attributes;
  if (events !== undefined) redacted["events"] = events;
  return withSpan(pipelineSpan, redacted as unknown as Span);
}

function redactName(name: unknown, values: ValueRedactor): unknown {
  return KNOWN_NAMES.has(name) ? name : values.value(name);
}

/** Events as they came: what is no event has not been left out yet. */
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

/** What `redaction.drop_on_failure` says: nothing that a redactor throws reaches the worker (spec 4.9 rule 4). */
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
