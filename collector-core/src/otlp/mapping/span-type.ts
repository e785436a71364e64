import type { KnownSpanType } from "@obspan/sdk/wire";
import type { AttributeSet } from "./attribute-set.js";
import { keyGroup } from "./key-groups.js";

/** Types by `gen_ai.operation.name` (OpenTelemetry), including notations of older and other libraries. */
const OPERATIONS: readonly (readonly [RegExp, KnownSpanType])[] = [
  [/^(?:invoke|create|run)_(?:agent|workflow)|^agent_run|^workflow_run|^agent\b/, "agent"],
  [/^execute_tool|^tool\b|^tool_call|^mcp_tool/, "tool"],
  [/embed/, "embedding"],
  [/retriev|rerank|search|query/, "retrieval"],
  [/step|task|plan|chain|workflow|event_loop|orchestrate/, "task"],
  [/chat|complet|generat|messages|responses|^llm|transcri|speech|image/, "llm"],
];

/** Types by the span kinds of OpenInference and of libraries that use them (Langfuse, LangSmith, Traceloop, Mastra). */
const KINDS: ReadonlyMap<string, KnownSpanType> = new Map(
  Object.entries<KnownSpanType>({
    llm: "llm",
    generation: "llm",
    model: "llm",
    chat_model: "llm",
    llm_generation: "llm",
    model_generation: "llm",
    embedding: "embedding",
    embedder: "embedding",
    tool: "tool",
    tool_call: "tool",
    mcp_tool_call: "tool",
    agent: "agent",
    agent_run: "agent",
    retriever: "retrieval",
    retrieval: "retrieval",
    reranker: "retrieval",
    rerank: "retrieval",
    chain: "task",
    task: "task",
    workflow: "task",
    workflow_run: "task",
    workflow_step: "task",
    guardrail: "task",
    evaluator: "task",
    prompt: "task",
    parser: "task",
    flow: "task",
    flowstep: "task",
    util: "task",
    step: "task",
    model_step: "task",
  }),
);

/** Attributes with the kind of a span, in order of precedence. */
const KIND_ATTRIBUTES = keyGroup([
  "openinference.span.kind",
  "traceloop.span.kind",
  "langfuse.observation.type",
  "langsmith.span.kind",
  "gen_ai.span.kind",
  "mastra.span.type",
  "genkit:metadata:subtype",
  "genkit:type",
  "lmnr.span.type",
  "span.type",
]);

/** Deprecated `llm.request.type`. */
const REQUEST_TYPES: ReadonlyMap<string, KnownSpanType> = new Map(
  Object.entries<KnownSpanType>({
    chat: "llm",
    completion: "llm",
    embedding: "embedding",
    rerank: "retrieval",
  }),
);

const MODELS = keyGroup([
  "gen_ai.request.model",
  "gen_ai.response.model",
  "llm.model_name",
  "langfuse.observation.model.name",
]);
/** Attributes that mark a span with a model as a model call, if it has no type. */
const CALLS = keyGroup([
  "gen_ai.usage.input_tokens",
  "gen_ai.usage.output_tokens",
  "gen_ai.usage.prompt_tokens",
  "gen_ai.usage.completion_tokens",
  "llm.token_count.prompt",
  "llm.token_count.completion",
  "gen_ai.system",
  "gen_ai.provider.name",
  "gen_ai.input.messages",
  "gen_ai.output.messages",
]);
const TOOLS = keyGroup(["gen_ai.tool.name", "gen_ai.tool.call.id", "tool.name"]);

/** Takes the type of a span from its attributes (contract 6). */
export function takeSpanType(attributes: AttributeSet, name: string): KnownSpanType {
  return (
    byOperation(attributes) ??
    byKind(attributes, name) ??
    byRequestType(attributes) ??
    byAiSdkName(attributes.text("ai.operationId") ?? name) ??
    byContent(attributes, name)
  );
}

function byOperation(attributes: AttributeSet): KnownSpanType | undefined {
  const said = attributes.text("gen_ai.operation.name");
  if (said === undefined) return undefined;
  const usual = TYPE_OF_OPERATION.get(said);
  if (usual !== undefined) {
    attributes.delete("gen_ai.operation.name");
    return usual;
  }
  const operation = said.toLowerCase();
  return OPERATIONS.find(([pattern]) => pattern.test(operation))?.[1];
}

/** Standard operations, which the span type implies. Others are kept as attributes. */
const TYPE_OF_OPERATION: ReadonlyMap<string, KnownSpanType> = new Map([
  ["chat", "llm"],
  ["embeddings", "embedding"],
  ["execute_tool", "tool"],
  ["invoke_agent", "agent"],
  ["retrieval", "retrieval"],
]);

function byKind(attributes: AttributeSet, name: string): KnownSpanType | undefined {
  let found: KnownSpanType | undefined;
  if (!attributes.mayHave(KIND_ATTRIBUTES)) return undefined;
  for (const key of KIND_ATTRIBUTES.keys) {
    const kind = attributes.text(key)?.toLowerCase();
    const type = kind === undefined ? undefined : KINDS.get(kind);
    if (type === undefined) continue;
    found ??= type;
    if (type === found && kind === type) attributes.delete(key);
  }
  // Langfuse marks embeddings of OpenAI's client as a generation.
  return found === "llm" && name === "OpenAI.embeddings" ? "embedding" : found;
}

function byRequestType(attributes: AttributeSet): KnownSpanType | undefined {
  const type = attributes.text("llm.request.type");
  return type === undefined ? undefined : REQUEST_TYPES.get(type);
}

/** Span names of the AI SDK: `ai.generateText.doGenerate`, `ai.toolCall`. */
function byAiSdkName(name: string): KnownSpanType | undefined {
  if (!/^ai\.[a-z]/.test(name)) return undefined;
  const operation = name.split(" ", 1)[0] ?? name;
  if (/\.do(?:Generate|Stream)$/.test(operation)) return "llm";
  if (operation.endsWith(".doEmbed")) return "embedding";
  if (operation.endsWith(".doRerank")) return "retrieval";
  return operation === "ai.toolCall" ? "tool" : "task";
}

/** Fallback without a type attribute: a tool has a tool name, a model call has a model and call attributes. */
function byContent(attributes: AttributeSet, name: string): KnownSpanType {
  if (attributes.text("mcp.method.name") === "tools/call") return "tool";
  if (
    attributes.has("pydantic_ai.all_messages") ||
    attributes.has("all_messages_events") ||
    /\bagent run$/.test(name)
  )
    return "agent";
  if (/^invoke_agent\b/.test(name)) return "agent";
  // VoltAgent sets the agent on every span; the span of the agent has its name.
  if (attributes.text("entity.type") === "agent" && attributes.text("entity.name") === name) return "agent";
  const hasModel = attributes.mayHave(MODELS);
  if (hasModel && attributes.mayHave(CALLS)) return /embed/i.test(name) ? "embedding" : "llm";
  return attributes.mayHave(TOOLS) ? "tool" : "span";
}
