import type { PartialCompletion } from "../../interfaces.js";
import { withSpan, type PipelineSpan } from "../../span/pipeline-span.js";
import { isRecord } from "../../span/span-facts.js";
import { keptPartial, shownPartial } from "../partial-completion.js";
import type { SpanConsumer } from "../span-consumer.js";

/** The attribute of a running span with the completion so far (contract 1). */
const ATTRIBUTE = "completion_partial";

/** Options of {@link createTakePartials}. */
export interface TakePartialsOptions {
  /** Redacts a text; undefined if redaction is off. */
  readonly redactText: ((text: string) => string) | undefined;
  /** Receives the completions, after the next stages have received the other spans. */
  readonly onPartial: (partial: PartialCompletion) => void;
}

/**
 * Takes the running spans with a partial completion out of the pipeline: no store, export or evaluation receives them. The
 * text is redacted when somebody reads it.
 */
export function createTakePartials(
  { redactText, onPartial }: TakePartialsOptions,
  next: SpanConsumer,
): SpanConsumer {
  async function take(spans: readonly PipelineSpan[]): Promise<void> {
    await next.consume(spans.filter((span) => partialOf(span) === undefined));
    // The start of a span may be part of the same batch.
    for (const span of spans) {
      const sent = partialOf(span);
      if (typeof sent !== "string" || sent === "") continue;
      const { facts, context } = span;
      const kept = keptPartial(sent);
      let shown: string | undefined;
      onPartial({
        tenant: context.tenant,
        traceId: facts.traceId,
        spanId: facts.spanId,
        bytes: kept.length * 2,
        text: () => (shown ??= shownSafely(kept, redactText)),
      });
    }
  }

  return { consume: (spans) => (spans.some(hasPartial) ? take(spans) : next.consume(spans)) };
}

/** Removes partial completions from running spans: a file may have some. */
export function createDropPartials(next: SpanConsumer): SpanConsumer {
  return {
    consume: (spans) =>
      next.consume(spans.some(hasPartial) ? spans.map((span) => withoutPartial(span)) : spans),
  };
}

function hasPartial(span: PipelineSpan): boolean {
  return span.facts.isRunning && partialOf(span) !== undefined;
}

/** Undefined for a span without a partial completion. On an ended span, the attribute is one like any other. */
function partialOf({ span, facts }: PipelineSpan): unknown {
  if (!facts.isRunning) return undefined;
  const { attributes } = span;
  return isRecord(attributes) && Object.hasOwn(attributes, ATTRIBUTE) ? attributes[ATTRIBUTE] : undefined;
}

function withoutPartial(each: PipelineSpan): PipelineSpan {
  if (!hasPartial(each)) return each;
  const attributes = { ...each.span.attributes };
  Reflect.deleteProperty(attributes, ATTRIBUTE);
  return withSpan(each, { ...each.span, attributes });
}

/** A text whose redaction fails is not shown, whatever `redaction.drop_on_failure` says: the next text follows. */
function shownSafely(kept: string, redactText: ((text: string) => string) | undefined): string {
  try {
    return shownPartial(kept, redactText);
  } catch {
    return "";
  }
}
