import type { SpanSink } from "../interfaces.js";
import type { PipelineSpan } from "../span/pipeline-span.js";
import type { LostSpans } from "./lost-spans.js";
import type { Redactor } from "./redaction/redactor.js";
import { chainOf, type SpanConsumer } from "./span-consumer.js";
import { createCapAttributes } from "./stages/cap-attributes.js";
import { createCountMetrics } from "./stages/count-metrics.js";
import { createFanOut } from "./stages/fan-out.js";
import { createRedact } from "./stages/redact.js";
import { createSample } from "./stages/sample.js";

/** Options of {@link createPipelines}. */
export interface PipelinesOptions {
  /** `limits.max_span_attributes`. */
  readonly maxSpanAttributes: number;
  readonly spanMetrics: {
    record(span: PipelineSpan): void;
    recordEvaluation(span: PipelineSpan): void;
  };
  readonly counters: { sampled(kept: number, notKept: number): void };
  /** Told of received spans that a stage failed on. */
  readonly lost: LostSpans;
  /** Undefined where redaction is off. */
  readonly redactor: Redactor | undefined;
  /** Lets the event loop turn between spans: the turn to wait for, or undefined where none is due. */
  readonly turnIfDue: () => Promise<void> | undefined;
  /** Where received and derived spans end: trace store, evaluation log, live hub, export. */
  readonly sinks: readonly SpanSink[];
  readonly onError: (where: string, error: unknown) => void;
}

/** The ways that spans take (spec 1). */
export interface Pipelines {
  /** Of spans that applications sent. `evaluator` is the last sink; undefined where evaluation is off. */
  readonly received: (evaluator: SpanSink | undefined) => SpanConsumer;
  /** Of spans that the collector made, which are evaluations: past queue and sampling (contract 8). */
  readonly derived: SpanConsumer;
  /** Of spans out of a file: no metric counts them, nothing forwards or evaluates them again. `keep` stores them. */
  readonly imported: (keep: SpanConsumer) => SpanConsumer;
}

/** Composes the pipelines of their stages. A new stage is a file in `stages/` and a line here. */
export function createPipelines(options: PipelinesOptions): Pipelines {
  const { spanMetrics, counters, lost, redactor, turnIfDue, sinks, onError } = options;
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
  const sample = (next: SpanConsumer) => createSample({ counters }, next);
  const capAttributes = (next: SpanConsumer) => createCapAttributes(options, next);
  const redact = (next: SpanConsumer) =>
    redactor === undefined ? next : createRedact({ redactor, turnIfDue }, next);

  return {
    received: (evaluator) =>
      chainOf(
        [
          countMetrics, // every span, sampled or not
          sample,
          capAttributes,
          redact,
        ],
        createFanOut({ sinks: evaluator === undefined ? sinks : [...sinks, evaluator], onError }),
      ),
    derived: chainOf([redact, countEvaluation], createFanOut({ sinks, onError })),
    imported: (keep) => chainOf([capAttributes, redact], keep),
  };
}
