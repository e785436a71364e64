import type { KeepSpans, PartialCompletion, SpanSink } from "../interfaces.js";
import type { PipelineSpan } from "../span/pipeline-span.js";
import type { LostSpans } from "./lost-spans.js";
import type { Redactor } from "./redaction/redactor.js";
import { composeStages, type SpanConsumer } from "./span-consumer.js";
import { createCapAttributes } from "./stages/cap-attributes.js";
import { createCountMetrics } from "./stages/count-metrics.js";
import { createFanOut } from "./stages/fan-out.js";
import { createPriceSpans, type CostOf } from "./stages/price-spans.js";
import { createRedact } from "./stages/redact.js";
import { createRequireKept } from "./stages/require-kept.js";
import { createSample } from "./stages/sample.js";
import { createDropPartials, createTakePartials } from "./stages/take-partials.js";

/** Options of {@link createPipelines}. */
export interface PipelinesOptions {
  /** `limits.max_span_attributes`. */
  readonly maxSpanAttributes: number;
  /** Undefined if `pricing.enabled` is false. */
  readonly costOf: CostOf | undefined;
  readonly spanMetrics: {
    record(span: PipelineSpan): void;
    recordEvaluation(span: PipelineSpan): void;
  };
  readonly counters: { sampled(kept: number, notKept: number): void };
  /** Records received spans that a stage failed on. */
  readonly lost: LostSpans;
  /** Undefined when redaction is off. */
  readonly redactor: Redactor | undefined;
  /** Redacts a text without counting it; undefined when redaction is off. */
  readonly redactText: ((text: string) => string) | undefined;
  /** Receives the completions of running spans so far. */
  readonly onPartial: (partial: PartialCompletion) => void;
  /** Yields to the event loop between spans; undefined while the time slice lasts. */
  readonly yieldIfDue: () => Promise<void> | undefined;
  /** Keeps received spans; undefined if the trace store is off. */
  readonly keep: KeepSpans | undefined;
  /** Keeps derived spans, or rejects; undefined if the trace store is off. */
  readonly keepDerived: KeepSpans | undefined;
  /** Destinations of received and derived spans: evaluation log, live hub, export. */
  readonly sinks: readonly SpanSink[];
  readonly onError: (where: string, error: unknown) => void;
}

/** The pipelines, one per origin of spans (spec 1). */
export interface Pipelines {
  /** For spans that applications send. `evaluator` is the last sink; undefined when evaluation is off. */
  readonly received: (evaluator: SpanSink | undefined) => SpanConsumer;
  /**
   * For spans that the collector creates, which are evaluations: they bypass queue and sampling (contract 8). Rejects if they are not
   * kept: then nothing else has them.
   */
  readonly derived: SpanConsumer;
  /** For spans from a file: they are not counted in metrics, exported or evaluated. `store` is the only destination. */
  readonly imported: (store: SpanConsumer) => SpanConsumer;
}

/** Composes the pipelines from their stages. A new stage is a file in `stages/` and a line here. */
export function createPipelines(options: PipelinesOptions): Pipelines {
  const { costOf, spanMetrics, counters, lost, redactor, yieldIfDue, keep, keepDerived, sinks, onError } =
    options;
  const priceSpans = (next: SpanConsumer) =>
    costOf === undefined ? next : createPriceSpans({ costOf }, next);
  const countMetrics = (next: SpanConsumer) =>
    createCountMetrics(
      { record: (span) => spanMetrics.record(span), onLost: (error) => lost.add(error) },
      next,
    );
  const countEvaluation = (next: SpanConsumer) =>
    createCountMetrics(
      { record: (span) => spanMetrics.recordEvaluation(span), onLost: (error) => onError("pipeline", error) },
      next,
    );
  const requireKept = (next: SpanConsumer) => createRequireKept(keepDerived, next);
  const sample = (next: SpanConsumer) => createSample({ counters }, next);
  const takePartials = (next: SpanConsumer) => createTakePartials(options, next);
  const capAttributes = (next: SpanConsumer) => createCapAttributes(options, next);
  const redact = (next: SpanConsumer) =>
    redactor === undefined ? next : createRedact({ redactor, yieldIfDue }, next);

  return {
    received: (evaluator) =>
      composeStages(
        [
          priceSpans, // before the metrics, which count the cost
          countMetrics, // every span, sampled or not
          sample,
          takePartials,
          capAttributes,
          redact,
        ],
        createFanOut({ keep, sinks: evaluator === undefined ? sinks : [...sinks, evaluator], onError }),
      ),
    derived: composeStages(
      [redact, requireKept, countEvaluation],
      createFanOut({ keep: undefined, sinks, onError }),
    ),
    imported: (store) => composeStages([createDropPartials, priceSpans, capAttributes, redact], store),
  };
}
