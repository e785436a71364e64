import type { Span } from "@obspan/sdk/wire";
import type { SpanHasher } from "../../../hashing/span-hashes.js";
import { withStoredCost } from "../../../span/normalize-span.js";
import { createPipelineSpan, type PipelineSpan } from "../../../span/pipeline-span.js";
import { readSpanFacts, type BatchContext, type SpanFacts } from "../../../span/span-facts.js";
import { digestSpan } from "../../traces/span-digest.js";

/** A span as a record of the file has it. */
export interface RecordedSpan {
  readonly span: Span;
  readonly context: BatchContext;
  readonly generatedSpanId: string | undefined;
  /** The labels of a span that the collector created, which its JSON does not have. */
  readonly labels: { readonly model: string; readonly agent: string } | undefined;
  readonly countsUsage: boolean;
  /** The cost that the collector computed. */
  readonly computedCostUsd: number | undefined;
}

/**
 * The span as the buffer keeps it: with its facts, and of its text only what the summary of its trace may show. The text is in
 * the file.
 */
export function bufferedSpan(recorded: RecordedSpan, hasher: SpanHasher): PipelineSpan {
  const { span, context, countsUsage } = recorded;
  const facts = recordedFacts(recorded);
  const isShown = facts.parentSpanId === "" || facts.spanType === "llm" || facts.spanType === "evaluation";
  return createPipelineSpan(
    {
      span: isShown ? withDigestOnly(span) : { name: facts.name, trace_id: "" },
      facts,
      context,
      hashes: hasher.all(context.tenant, facts),
    },
    { isSampled: () => true, countsUsage: () => countsUsage },
  );
}

/** The facts of a recorded span. */
export function recordedFacts(recorded: RecordedSpan): SpanFacts {
  const { span, context, generatedSpanId, labels, computedCostUsd } = recorded;
  const facts = withStoredCost(readSpanFacts(span, context, generatedSpanId, ignore), computedCostUsd);
  return { ...facts, ...labels };
}

/** A span with the same digest, and nothing else. */
function withDigestOnly(span: Span): Span {
  const { name, input, output, score } = digestSpan(span);
  return {
    name,
    trace_id: "",
    ...(span.span_type === "evaluation" && { span_type: "evaluation" }),
    attributes: {
      ...(input !== null && { input_text: input }),
      ...(output !== null && { output_text: output }),
      ...(score !== null && {
        evaluation_type: score.type,
        evaluation_score: score.score,
        ...(score.label !== null && { evaluation_label: score.label }),
      }),
    },
  };
}

/** Invalid values were counted when the span entered the pipeline. */
function ignore(): void {}
