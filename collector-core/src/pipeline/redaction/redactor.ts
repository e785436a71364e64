import type { PipelineSpan } from "../../span/pipeline-span.js";
import type { MaybePromise } from "../../runtime/maybe-promise.js";

/**
 * Takes what must not be kept out of a span's text, after sampling and before anything stores, exports or judges it
 * (spec 1, 4.9 rule 4).
 */
export interface Redactor {
  /**
   * The span, or a new one with its text redacted; undefined where redaction failed and the span must go. A large span is
   * redacted in slices, between which the event loop has its turn: then it is a promise, which never rejects.
   */
  redact(span: PipelineSpan): MaybePromise<PipelineSpan | undefined>;
}

/** A {@link Redactor} that also takes a text of a span that is sent on by itself. */
export interface SpanAndTextRedactor extends Redactor {
  redactText(text: string): string;
}

/** `redaction.enabled: false`, the default: every span goes on as it is. */
export const withoutRedaction: SpanAndTextRedactor = {
  redact: (span) => span,
  redactText: (text) => text,
};
