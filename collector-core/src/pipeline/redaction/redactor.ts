import type { PipelineSpan } from "../../span/pipeline-span.js";
import type { MaybePromise } from "../../runtime/maybe-promise.js";

/**
 * Redacts the text of spans after sampling and before storage, export and evaluation (spec 1, 4.9 rule 4).
 */
export interface Redactor {
  /**
   * Returns the same span when nothing changes, a redacted copy otherwise, and undefined when redaction failed and
   * the span must be dropped. Returns a promise for a large span, which is redacted in time slices. The promise never
   * rejects.
   */
  redact(span: PipelineSpan): MaybePromise<PipelineSpan | undefined>;
}

/** A {@link Redactor} that can also redact a single text. */
export interface SpanAndTextRedactor extends Redactor {
  redactText(text: string): string;
}

/** The redactor of `redaction.enabled: false`, the default. It changes nothing. */
export const withoutRedaction: SpanAndTextRedactor = {
  redact: (span) => span,
  redactText: (text) => text,
};
