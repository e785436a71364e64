import { field, textOf } from "../json-fields.js";

/** How a span of Mastra is recorded. */
export interface SpanKind {
  /** Undefined if it is not recorded: its children belong to its parent. */
  readonly spanType: string | undefined;
  readonly name: string;
}

const TYPES: Readonly<Record<string, string | undefined>> = {
  agent_run: "agent",
  // The calls inside it are recorded. It repeats their usage.
  model_generation: undefined,
  // A part of the stream of a call.
  model_chunk: undefined,
  model_inference: "llm",
  rag_embedding: "embedding",
  rag_vector_operation: "retrieval",
};

/** The kind of a span that Mastra exports. */
export function spanKind(exported: unknown): SpanKind {
  const type = textOf(field(exported, "type")) ?? "";
  const attributes = field(exported, "attributes");
  // The name of a step's entity is that of its workflow.
  const entity =
    (type === "workflow_step" ? undefined : textOf(field(exported, "entityName"))) ??
    textOf(field(exported, "entityId"));
  const name = textOf(field(exported, "name")) ?? type;
  if (type.endsWith("tool_call")) return { spanType: "tool", name: entity ?? name };
  if (type === "model_step")
    return { spanType: "task", name: `step ${Number(field(attributes, "stepIndex")) + 1}` };
  const spanType = type in TYPES ? TYPES[type] : "task";
  if (spanType === "llm" || spanType === "embedding") {
    const operation = spanType === "llm" ? "chat" : "embeddings";
    return { spanType, name: [operation, textOf(field(attributes, "model"))].filter(Boolean).join(" ") };
  }
  return { spanType, name: entity ?? name };
}
