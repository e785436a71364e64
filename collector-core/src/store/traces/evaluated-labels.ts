import type { TraceSummary } from "../../api-schema/trace.js";
import type { EvaluatedLabels } from "../../interfaces.js";

/** The labels that an evaluation of a span has. */
export function labelsOfSpan({
  model,
  agent,
}: {
  readonly model: string;
  readonly agent: string;
}): EvaluatedLabels {
  return { model: model || null, agent: agent || null };
}

/** The labels that an evaluation of a whole trace has. */
export function labelsOfTrace({ models, agent }: TraceSummary): EvaluatedLabels {
  return { model: models[0] ?? null, agent };
}
