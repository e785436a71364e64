import type { LoadedConfig } from "../config/load-config.js";
import type { TraceKey, TraceStore } from "../interfaces.js";
import type { EvaluatedLabels } from "../query/evaluation-log.js";

/** Returns the directions of the custom evaluation types. */
export function directionsOf(types: LoadedConfig["config"]["evaluation.types"]) {
  return Object.fromEntries(
    Object.entries(types).map(([name, { direction = "maximize" }]) => [name, direction] as const),
  );
}

/** Returns model and agent of the span, or of the trace, that a user scored. */
export async function evaluatedLabels(
  store: Pick<TraceStore, "summaries" | "spanLabels"> | undefined,
  key: TraceKey,
  spanId: string | null,
): Promise<EvaluatedLabels> {
  if (spanId !== null) return (await store?.spanLabels(key, spanId)) ?? { model: null, agent: null };
  const [summary] = (await store?.summaries([key])) ?? [];
  return { model: summary?.models[0] ?? null, agent: summary?.agent ?? null };
}
