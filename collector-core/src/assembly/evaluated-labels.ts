import type { LoadedConfig } from "../config/load-config.js";
import type { TraceKey, TraceStore } from "../interfaces.js";
import type { EvaluatedLabels } from "../query/evaluation-log.js";

/** Which way the types of a user's own count. */
export function directionsOf(types: LoadedConfig["config"]["evaluation.types"]) {
  return Object.fromEntries(
    Object.entries(types).map(([name, { direction = "maximize" }]) => [name, direction] as const),
  );
}

/** Model and agent of what a user scored: the span, or the trace. */
export async function evaluatedLabels(
  store: Pick<TraceStore, "summary" | "getSpan"> | undefined,
  key: TraceKey,
  spanId: string | null,
): Promise<EvaluatedLabels> {
  if (spanId !== null) {
    const attributes = (await store?.getSpan(key, spanId))?.attributes ?? {};
    const { model, agent } = attributes;
    return {
      model: typeof model === "string" ? model : null,
      agent: typeof agent === "string" ? agent : null,
    };
  }
  const summary = await store?.summary(key);
  return { model: summary?.models[0] ?? null, agent: summary?.agent ?? null };
}
