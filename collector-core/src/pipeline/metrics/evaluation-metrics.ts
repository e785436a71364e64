import { EVALUATION_OUTCOMES, type EvaluationOutcome } from "../../api-schema/evaluation-types.js";
import { CounterSeries, sample, type MetricSample } from "./series.js";
import { LabelValues } from "./label-values.js";
import { readFamily, type MetricSource } from "./series-family.js";

/** Evaluations by outcome (contract 4, the ledger). The outcomes and the pending evaluations add up to `offered`. */
export interface EvaluationCounts extends Readonly<Record<EvaluationOutcome, number>> {
  readonly offered: number;
}

/** Metrics of the evaluator. The metrics of evaluations by service are span metrics. */
export interface EvaluationMetrics extends MetricSource {
  offered(evaluations: number): void;
  /** Takes back an offered evaluation, which another collector has made. */
  repeated(): void;
  ended(outcome: EvaluationOutcome, evaluations: number): void;
  /** Adds the judge's cost of one evaluation. */
  cost(typeName: string, judgeModel: string, usd: number): void;
  counts(): EvaluationCounts;
}

/** Options of {@link createEvaluationMetrics}. */
export interface EvaluationMetricsOptions {
  /** Number of queued evaluations, read at each scrape. */
  readonly waiting: () => number;
  /** `evaluation.max_evaluation_types`. */
  readonly maxTypes: number;
  /** `limits.max_label_value_length`. */
  readonly maxLabelValueLength: number;
}

export function createEvaluationMetrics(options: EvaluationMetricsOptions): EvaluationMetrics {
  const types = new LabelValues({ cap: options.maxTypes, maxLength: options.maxLabelValueLength });
  const outcomes = Object.fromEntries(EVALUATION_OUTCOMES.map((outcome) => [outcome, 0])) as Record<
    EvaluationOutcome,
    number
  >;
  let offered = 0;
  let repeated = 0;
  const costs = new Map<string, CounterSeries>();

  function* costSamples(): Generator<MetricSample> {
    for (const series of costs.values()) yield* series.samples();
  }

  const families = [
    readFamily("obs_evaluation_cost_total", () => [...costSamples()]),
    readFamily("obs_evaluation_queue_size", () => [sample(options.waiting())]),
    readFamily("obs_evaluations_repeated_total", () => [sample(repeated)]),
  ];
  return {
    offered: (evaluations) => void (offered += evaluations),
    repeated() {
      offered--;
      repeated++;
    },
    ended: (outcome, evaluations) => void (outcomes[outcome] += evaluations),
    cost(typeName, judgeModel, usd) {
      // Bounded: one judge model is configured, and the types are capped.
      const labels = { evaluation_type: types.resolve(typeName), judge_model: judgeModel };
      const key = labels.evaluation_type;
      let series = costs.get(key);
      if (series === undefined) costs.set(key, (series = new CounterSeries(labels)));
      series.add(usd);
    },
    counts: () => ({ offered, ...outcomes }),
    families: () => families,
  };
}
