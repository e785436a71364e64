import type { Span } from "@obspan/sdk/wire";
import type { PipelineSpan, SpanSink } from "../interfaces.js";
import { readSpanFacts, type BatchContext, type SpanFacts } from "../span/span-facts.js";
import { hashesOf } from "../span-hashes.js";
import type { Redactor } from "./redaction/redactor.js";

/** A span that the collector made itself, of one that it was sent: an evaluation. */
export interface DerivedSpan {
  readonly span: Span;
  /** Of the span that it was made of. */
  readonly context: BatchContext;
  /** Labels that the span itself does not carry: those of the span that it was made of. */
  readonly labels: Pick<SpanFacts, "model" | "agent">;
}

/** What {@link createDerivedSpans} joins. */
export interface DerivedSpansOptions {
  readonly record: (span: PipelineSpan) => void;
  readonly redactor: Redactor;
  readonly sinks: readonly SpanSink[];
  readonly onError: (what: string, error: unknown) => void;
}

/**
 * The way of a span that the collector made: redaction, metrics, then where all spans end, past the queue and past
 * sampling (contract 8).
 *
 * @returns delivers one; never rejects.
 */
export function createDerivedSpans(options: DerivedSpansOptions): (derived: DerivedSpan) => Promise<void> {
  return async ({ span, context, labels }) => {
    const facts = { ...readSpanFacts(span, context, undefined, () => undefined), ...labels };
    const redacted = await options.redactor.redact({
      context,
      span,
      madeSpanId: undefined,
      facts,
      hashes: hashesOf(context.tenant, facts),
      countsUsage: false,
      isSampled: true,
      source: undefined,
      index: 0,
    });
    if (redacted === undefined) return;
    options.record(redacted);
    for (const sink of options.sinks) {
      try {
        await sink.offer([redacted]);
      } catch (error) {
        options.onError(sink.name, error);
      }
    }
  };
}
