import type { Attributes, JsonValue, Span } from "@obspan/sdk/wire";
import type { DroppedRemains, RootRemains, TraceRemains } from "../span/trace-remains.js";

const LABELS = "labels";
const ROOT = "root";
/** Prefix of the ids of spans with one label of each kind. */
const VALUES = "values-";

/** The texts of remains as spans, each in the field or attribute that it was in, so that the stages for spans apply to them. */
export function remainsToSpans({ session_id, user_id, dropped }: TraceRemains, traceId: string): Span[] {
  const spanOf = (id: string, attributes: Attributes): Span => ({
    trace_id: traceId,
    span_id: id,
    name: id,
    attributes,
  });
  const labels = spanOf(LABELS, {
    ...(session_id !== undefined && { session_id }),
    ...(user_id !== undefined && { user_id }),
    ...(dropped !== undefined && { agent: dropped.agent, prompts: [...dropped.prompts] }),
  });
  if (dropped === undefined) return [labels];
  const { models, providers, tools, root } = dropped;
  const values = Array.from(
    { length: Math.max(models.length, providers.length, tools.length) },
    (_, index) => {
      const [model, provider, tool] = [models[index], providers[index], tools[index]];
      return spanOf(`${VALUES}${index}`, {
        ...(model !== undefined && { model }),
        ...(provider !== undefined && { provider }),
        ...(tool !== undefined && { tool_name: tool }),
      });
    },
  );
  return [labels, ...values, ...(root === undefined ? [] : [rootToSpan(root, traceId)])];
}

function rootToSpan(root: RootRemains, traceId: string): Span {
  const { name, agent, span_type, status, input_text, output_text } = root;
  return {
    trace_id: traceId,
    span_id: ROOT,
    name,
    span_type,
    status,
    attributes: {
      agent,
      ...(input_text !== undefined && { input_text }),
      ...(output_text !== undefined && { output_text }),
    },
  };
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
  const values = spans.filter(({ span_id: id }) => id?.startsWith(VALUES));
  const all = (key: string): string[] => textsIn(values.map(({ attributes: each }) => each?.[key] ?? null));
  return {
    ...totals,
    agent: textIn(attributes["agent"]) ?? "",
    models: all("model"),
    providers: all("provider"),
    tools: all("tool_name"),
    prompts: textsIn(attributes["prompts"]),
    ...(root !== undefined && rootSpan !== undefined && { root: rootFrom(root, rootSpan) }),
  };
}

function rootFrom(root: RootRemains, span: Span): RootRemains {
  const { service, env, version, start_time, error_type } = root;
  const { name, span_type = "", status = "", attributes = {} } = span;
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
