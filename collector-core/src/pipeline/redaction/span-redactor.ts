import type { Span } from "@obspan/sdk/wire";
import type { Clock, PipelineSpan } from "../../interfaces.js";
import { MAX_NAME_LENGTH, truncateCodePoints } from "../../span/span-facts.js";
import { BUILT_IN_PATTERNS } from "./built-in-patterns.js";
import { compileCustomPattern, type CustomPattern } from "./custom-patterns.js";
import { createKeyReader } from "./key-meaning.js";
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
}

/** A failure so long after the last one is news again. */
const EPISODE_MS = 60_000;

/**
 * Redacts spans: their name, and every text in their attributes and in those of their events, however deep, but for
 * the few attributes that are labels (contract 6: "every attribute that carries text").
 */
export function createSpanRedactor(options: SpanRedactorOptions): SpanAndTextRedactor {
  const { counters, clock } = options;
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
    ...withFailureAction({ redact: (span) => redactSpan(span, values) }, options),
    redactText: (text) => values.text(text),
  };
}

/** The span where nothing in it changes, so that its bytes can be kept as they came; else a new one. */
function redactSpan(pipelineSpan: PipelineSpan, values: ValueRedactor): PipelineSpan {
  const { span, facts } = pipelineSpan;
  const name = values.text(span.name);
  const attributes = values.attributes(span.attributes) as Span["attributes"];
  const events = redactEvents(span.events, values) as Span["events"];
  if (name === span.name && attributes === span.attributes && events === span.events) return pipelineSpan;

  // Copied first and changed then, which takes a fraction of the time that a copy with other values takes.
  const redacted: Span = { ...span };
  if (name !== span.name) redacted.name = name;
  if (attributes !== undefined) redacted.attributes = attributes;
  if (events !== undefined) redacted.events = events;
  return {
    context: pipelineSpan.context,
    span: redacted,
    madeSpanId: pipelineSpan.madeSpanId,
    facts: name === span.name ? facts : { ...facts, name: truncateCodePoints(name, MAX_NAME_LENGTH) },
    hashes: pipelineSpan.hashes,
    countsUsage: pipelineSpan.countsUsage,
    isSampled: pipelineSpan.isSampled,
    source: pipelineSpan.source,
    redactedFrom: span,
    index: pipelineSpan.index,
  };
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
  if (typeof event !== "object" || event === null || Array.isArray(event)) return values.value(event);
  const { name, attributes } = event as Record<string, unknown>;
  const redactedName = typeof name === "string" ? values.text(name) : name;
  const redactedAttributes = values.attributes(attributes);
  if (redactedName === name && redactedAttributes === attributes) return event;
  return { ...event, name: redactedName, attributes: redactedAttributes };
}

/** What `redaction.drop_on_failure` says: nothing that a redactor throws reaches the worker (spec 4.9 rule 4). */
export function withFailureAction(
  redactor: Redactor,
  options: Pick<SpanRedactorOptions, "dropOnFailure" | "counters" | "onFailure" | "clock">,
): Redactor {
  const { dropOnFailure, counters, onFailure, clock } = options;
  let failedAtMs = -Infinity;
  return {
    redact(span) {
      try {
        return redactor.redact(span);
      } catch (error) {
        const nowMs = clock.monotonic();
        if (nowMs - failedAtMs >= EPISODE_MS) onFailure(error);
        failedAtMs = nowMs;
        counters.redactionFailed(dropOnFailure ? "dropped" : "kept");
        return dropOnFailure ? undefined : span;
      }
    },
  };
}
