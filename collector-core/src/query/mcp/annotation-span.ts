import { randomBytes } from "node:crypto";
import type { DerivedSpan } from "../../interfaces.js";
import type { Annotation } from "./tools/annotate.js";

/** The evaluation span of an annotation, as the SDK's `score()` sends it (contract 8). */
export function annotationSpan(
  { trace, spanId, type, score, label, comment }: Annotation,
  nowMs: number,
): DerivedSpan {
  const { tenant, service, env, version, models, agent } = trace;
  return {
    span: {
      name: `evaluation.${type}`,
      span_type: "evaluation",
      trace_id: trace.trace_id,
      span_id: randomBytes(8).toString("hex"),
      ...(spanId !== undefined && { parent_span_id: spanId }),
      status: "OK",
      start_time: nowMs,
      duration_ms: 0,
      attributes: {
        evaluation_type: type,
        evaluation_score: score,
        ...(label !== undefined && { evaluation_label: label }),
        ...(comment !== undefined && { evaluation_comment: comment }),
        evaluation_source: "user",
        evaluation_outcome: "completed",
        ...(spanId !== undefined && { evaluated_span_id: spanId }),
      },
    },
    context: { tenant, service, env, version: version ?? undefined, receivedAtMs: nowMs },
    labels: { model: models[0] ?? "", agent: agent ?? "" },
  };
}
