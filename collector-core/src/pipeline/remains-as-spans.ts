import type { Attributes, JsonValue, Span } from "@obspan/sdk/wire";
import type { DroppedRemains, RootRemains, TraceRemains } from "../span/trace-remains.js";

const LABELS = "labels";
const ROOT = "root";

/** The texts of remains as attributes of spans, so that the stages for spans apply to them. */
export function remainsToSpans({ session_id, user_id, dropped }: TraceRemains, traceId: string): Span[] {
  const root = dropped?.root;
  const labels: Span = {
    trace_id: traceId,
    span_id: LABELS,
    name: LABELS,
    attributes: {
      ...(session_id !== undefined && { session_id }),
      ...(user_id !== undefined && { user_id }),
      ...(dropped !== undefined && {
        agent: dropped.agent,
        models: [...dropped.models],
        providers: [...dropped.providers],
        tools: [...dropped.tools],
        prompts: [...dropped.prompts],
      }),
    },
  };
  if (root === undefined) return [labels];
  const { name, agent, input_text, output_text } = root;
  return [
    labels,
    {
      trace_id: traceId,
      span_id: ROOT,
      name,
      attributes: {
        agent,
        ...(input_text !== undefined && { input_text }),
        ...(output_text !== undefined && { output_text }),
      },
    },
  ];
}

/** The remains with the texts of these spans. Texts of a span that a stage dropped are left out. */
export function remainsFromSpans({ partial, dropped }: TraceRemains, spans: readonly Span[]): TraceRemains {
  const attributes = spans.find(({ span_id: id }) => id === LABELS)?.attributes ?? {};
  const session = textIn(attributes["session_id"]);
  const user = textIn(attributes["user_id"]);
  return {
    ...(partial === true && { partial }),
    ...(session !== undefined && { session_id: session }),
    ...(user !== undefined && { user_id: user }),
    ...(dropped !== undefined && { dropped: droppedFrom(dropped, attributes, spans) }),
  };
}

function droppedFrom(
  { root, ...totals }: DroppedRemains,
  attributes: Attributes,
  spans: readonly Span[],
): DroppedRemains {
  const rootSpan = spans.find(({ span_id: id }) => id === ROOT);
  return {
    ...totals,
    agent: textIn(attributes["agent"]) ?? "",
    models: textsIn(attributes["models"]),
    providers: textsIn(attributes["providers"]),
    tools: textsIn(attributes["tools"]),
    prompts: textsIn(attributes["prompts"]),
    ...(root !== undefined && rootSpan !== undefined && { root: rootFrom(root, rootSpan) }),
  };
}

function rootFrom(root: RootRemains, { name, attributes = {} }: Span): RootRemains {
  const { service, env, version, span_type, status, start_time, error_type } = root;
  const input = textIn(attributes["input_text"]);
  const output = textIn(attributes["output_text"]);
  return {
    ...{ service, env, span_type, status, start_time, error_type, name },
    ...(version !== undefined && { version }),
    agent: textIn(attributes["agent"]) ?? "",
    ...(input !== undefined && { input_text: input }),
    ...(output !== undefined && { output_text: output }),
  };
}

function textIn(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function textsIn(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
