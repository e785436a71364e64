import type { JsonValue, KnownSpanType, ToolDefinition } from "@obspan/sdk/wire";
import { copyText } from "../../span/kept-text.js";
import type { JsonTexts } from "../json-texts.js";
import type { AttributeSource, OtlpEvent } from "../received-spans.js";
import { asBoolean, asNumber, asRecord, asText, onlyReason, type AttributeSet } from "./attribute-set.js";
import { readIndexed } from "./indexed-attributes.js";
import { keyGroup, listGroup } from "./key-groups.js";
import { toToolDefinitions } from "./messages.js";
import { normalizeProvider } from "./provider.js";

const MODEL = keyGroup([
  "gen_ai.response.model",
  "gen_ai.request.model",
  "llm.response.model_name",
  "llm.model_name",
  "embedding.model_name",
  "reranker.model_name",
  "ai.response.model",
  "ai.model.id",
  "langfuse.observation.model.name",
  "llm.request.model_name",
  "llm.request.model",
  "llm.model",
  "model_name",
]);
const PROVIDER = keyGroup([
  "gen_ai.provider.name",
  "gen_ai.system",
  "llm.provider",
  "llm.system",
  "ai.model.provider",
  "model_provider",
  "langfuse.observation.metadata.ls_provider",
  "langsmith.metadata.ls_provider",
  "traceloop.association.properties.ls_provider",
]);
/** Frameworks that appear as provider if the provider is unknown. */
const FRAMEWORK = /^(?:langchain|langgraph|llama_?index|crewai|unknown)$/i;
const TOOL_NAME = keyGroup(["gen_ai.tool.name", "tool.name", "ai.toolCall.name", "mcp.tool.name"]);
const AGENT = keyGroup([
  "gen_ai.agent.name",
  "agent.name",
  "graph.node.id",
  "ai.telemetry.functionId",
  "agent_name",
  "gen_ai.workflow.name",
]);
const SESSION_ID = keyGroup([
  "gen_ai.conversation.id",
  "session.id",
  "langfuse.session.id",
  "ai.telemetry.metadata.sessionId",
  "ai.telemetry.metadata.session_id",
  "ai.telemetry.metadata.threadId",
  "ai.telemetry.metadata.conversationId",
  "traceloop.association.properties.session_id",
  "traceloop.association.properties.sessionId",
  "traceloop.association.properties.chat_id",
  "traceloop.association.properties.thread_id",
  // `langsmith.trace.session_id` is excluded: in LangSmith it is the project.
  "langsmith.metadata.session_id",
  "langsmith.metadata.thread_id",
  "langsmith.metadata.conversation_id",
  "mastra.metadata.sessionId",
  "mastra.metadata.threadId",
  "lmnr.association.properties.session_id",
  "conversation.id",
  "gcp.vertex.agent.session_id",
]);
const USER_ID = keyGroup([
  "user.id",
  "enduser.id",
  "langfuse.user.id",
  "ai.telemetry.metadata.userId",
  "ai.telemetry.metadata.user_id",
  "traceloop.association.properties.user_id",
  "traceloop.association.properties.userId",
  "langsmith.metadata.user_id",
  "mastra.metadata.userId",
  "lmnr.association.properties.user_id",
]);
const TEMPERATURE = keyGroup([
  "gen_ai.request.temperature",
  "ai.settings.temperature",
  "llm.request.temperature",
]);
const MAX_TOKENS = keyGroup([
  "gen_ai.request.max_tokens",
  "ai.settings.maxOutputTokens",
  "ai.settings.maxTokens",
  "llm.request.max_tokens",
]);
const STREAM = keyGroup([
  "gen_ai.request.stream",
  "gen_ai.is_streaming",
  "llm.is_streaming",
  "gen_ai.request.is_stream",
]);
const FINISH_REASON = keyGroup([
  "gen_ai.response.finish_reasons",
  "llm.finish_reason",
  "ai.response.finishReason",
  "gen_ai.response.finish_reason",
  "llm.response.finish_reason",
  "anthropic.message.stop_reason",
  "llm.stop_reason",
]);
/** Metadata of the caller as JSON text; OpenInference forwards that of LangChain. */
const METADATA = keyGroup(["metadata"]);
/** Settings of the call as JSON text. */
const SETTINGS = keyGroup(["llm.invocation_parameters", "langfuse.observation.model.parameters"]);
/** Genkit has model and provider only in the action name: `openai/gpt-4o`. */
const GENKIT_NAME = keyGroup(["genkit:name"]);
/** In seconds. */
const TTFT_SECONDS = keyGroup([
  "gen_ai.response.time_to_first_chunk",
  "gen_ai.client.operation.time_to_first_chunk",
  "gen_ai.server.time_to_first_token",
]);
const TTFT_MS = keyGroup(["ai.response.msToFirstChunk", "ai.stream.msToFirstChunk"]);

/** Types of model calls. Only these get a model, so that wrappers do not appear among the calls. */
const MODEL_TYPES: ReadonlySet<KnownSpanType> = new Set(["llm", "embedding", "retrieval"]);

/** Names, ids and settings of a span under the attribute names of Obspan. */
export type Labels = Readonly<Record<string, JsonValue | undefined>>;

/** Takes names, ids and settings of a span from its attributes. */
export function takeLabels(attributes: AttributeSet, span: AttributeSource, spanType: KnownSpanType): Labels {
  const isModelCall = MODEL_TYPES.has(spanType);
  const metadata = attributes.peek(METADATA, asRecord);
  const settings = attributes.peek(SETTINGS, asRecord);
  const action = isModelCall ? attributes.peek(GENKIT_NAME, readActionName) : undefined;
  const otherProvider = asText(metadata?.["ls_provider"]) ?? action?.provider;
  const provider = isModelCall ? takeProvider(attributes, otherProvider) : undefined;
  const model = isModelCall ? attributes.take(MODEL, asText) : undefined;
  return {
    model: model ?? action?.model,
    provider,
    tool_name: takeToolName(attributes, span.name, spanType),
    agent: takeAgent(attributes, span.name, spanType),
    session_id: attributes.take(SESSION_ID, asText) ?? firstText(metadata, SESSION_NAMES),
    user_id: attributes.take(USER_ID, asText) ?? firstText(metadata, USER_NAMES),
    temperature: attributes.take(TEMPERATURE, asNumber) ?? asNumber(settings?.["temperature"]),
    max_tokens:
      attributes.take(MAX_TOKENS, asNumber) ?? asNumber(settings?.["max_tokens"] ?? settings?.["maxTokens"]),
    stream: attributes.take(STREAM, asBoolean),
    finish_reason: attributes.take(FINISH_REASON, onlyReason),
    tool_definitions: takeToolDefinitions(attributes),
  };
}

type Fields = Readonly<Record<string, unknown>>;

const SESSION_NAMES = ["session_id", "sessionId", "thread_id", "threadId", "conversation_id"];
const USER_NAMES = ["user_id", "userId"];

function firstText(fields: Fields | undefined, names: readonly string[]): string | undefined {
  return fields && names.map((name) => asText(fields[name])).find((text) => text !== undefined);
}

function readActionName(value: JsonValue): { provider: string; model: string } | undefined {
  const [, provider, model] = /^([^/]+)\/(.+)$/.exec(asText(value) ?? "") ?? [];
  if (provider === undefined || model === undefined) return undefined;
  return { provider: copyText(provider), model: copyText(model) };
}

function notFramework(value: JsonValue): string | undefined {
  const name = asText(value);
  return name === undefined || FRAMEWORK.test(name) ? undefined : name;
}

/** Takes the normalized provider. A different notation, such as `openai.responses`, is kept as an attribute. */
function takeProvider(attributes: AttributeSet, otherwise: string | undefined): string | undefined {
  const name = attributes.peek(PROVIDER, notFramework) ?? otherwise ?? attributes.peek(PROVIDER, asText);
  if (name === undefined) return undefined;
  const provider = normalizeProvider(name);
  attributes.take(PROVIDER, (value) => (value === provider ? provider : undefined));
  return provider;
}

/** Prefixes and suffixes around the tool name in the name of a span. */
const TOOL_AFFIXES = /^(?:execute_tool|running tool:?|tool\.execute|tool:?) +|\.tool$/;

function takeToolName(attributes: AttributeSet, name: string, spanType: KnownSpanType): string | undefined {
  const said = attributes.take(TOOL_NAME, asText);
  if (said !== undefined || spanType !== "tool") return said;
  return attributes.text("traceloop.entity.name") ?? asText(copyText(name.replace(TOOL_AFFIXES, "")));
}

/** Names of agent spans that are the operation rather than the agent. */
const UNNAMED_AGENT = /^(?:invoke_agent|invoke_workflow|create_agent|agent run|invocation)$/;

function takeAgent(attributes: AttributeSet, name: string, spanType: KnownSpanType): string | undefined {
  const said = attributes.take(AGENT, asText);
  if (said !== undefined || spanType !== "agent") return said;
  const entity = attributes.text("traceloop.entity.name");
  if (entity !== undefined) return entity;
  const named = asText(copyText(name.replace(/^invoke_(?:agent|workflow) +/, "")));
  // Some libraries put the model in place of the agent name.
  return named === attributes.text("gen_ai.request.model") || UNNAMED_AGENT.test(name) ? undefined : named;
}

const TOOL_DEFINITIONS = keyGroup(["gen_ai.tool.definitions", "ai.prompt.tools", "gen_ai.request.tools"]);
const TOOL_LISTS = ["llm.tools", "llm.request.functions", "gen_ai.tool.definitions"].map((prefix) => ({
  prefix,
  group: listGroup(prefix),
}));

function takeToolDefinitions(attributes: AttributeSet): JsonValue | undefined {
  const { texts } = attributes;
  for (const key of attributes.mayHave(TOOL_DEFINITIONS) ? TOOL_DEFINITIONS.keys : []) {
    const definitions = toToolDefinitions(attributes.get(key), texts);
    if (definitions === undefined) continue;
    attributes.delete(key);
    return asJson(definitions);
  }
  for (const { prefix, group } of TOOL_LISTS) {
    const indexed = attributes.mayHave(group) ? readIndexed(attributes, prefix) : undefined;
    if (indexed === undefined) continue;
    const definitions = toToolDefinitions(
      indexed.items.map((item) => openInferenceTool(item, texts)),
      texts,
    );
    if (definitions === undefined) continue;
    indexed.take();
    return asJson(definitions);
  }
  return undefined;
}

/** `llm.tools.0.tool.json_schema` is the definition as JSON text. */
function openInferenceTool(item: Readonly<Record<string, unknown>>, texts: JsonTexts): unknown {
  const { tool } = item;
  return asRecord(asRecord(tool, texts)?.["json_schema"], texts) ?? tool ?? item;
}

/** The definitions are JSON, though their type allows more. */
function asJson(definitions: readonly ToolDefinition[]): JsonValue {
  return definitions as unknown as JsonValue;
}

/** Takes the time to first token in milliseconds, from an attribute or the time of an event. */
export function takeTimeToFirstToken(attributes: AttributeSet, span: AttributeSource): number | undefined {
  const seconds = attributes.take(TTFT_SECONDS, asNumber);
  if (seconds !== undefined) return round(seconds * 1000);
  return (
    attributes.take(TTFT_MS, asNumber) ??
    msFromEvent(span, span.events.find(isFirstToken)) ??
    msToCompletionStart(attributes, span)
  );
}

function isFirstToken({ name }: OtlpEvent): boolean {
  return (
    name === "First Token Stream Event" || name === "ai.stream.firstChunk" || name === "gen_ai.first_token"
  );
}

function msFromEvent(span: AttributeSource, event: OtlpEvent | undefined): number | undefined {
  if (event === undefined) return undefined;
  const said = asNumber(event.attributes.get("ai.response.msToFirstChunk"));
  if (said !== undefined) return said;
  return event.timeUnixNano < span.startUnixNano
    ? undefined
    : Number(event.timeUnixNano - span.startUnixNano) / 1e6;
}

const COMPLETION_START = keyGroup([
  "langfuse.observation.completion_start_time",
  "mastra.completion_start_time",
]);

/** Langfuse and Mastra send the start time of the response. */
function msToCompletionStart(attributes: AttributeSet, span: AttributeSource): number | undefined {
  const start = attributes.peek(COMPLETION_START, asText);
  const ms = start === undefined ? Number.NaN : Date.parse(start.replaceAll('"', ""));
  if (!Number.isFinite(ms)) return undefined;
  const elapsed = BigInt(ms) * 1_000_000n - span.startUnixNano;
  return elapsed >= 0n ? Number(elapsed) / 1e6 : undefined;
}

/** Rounds to nanoseconds: 12.3 × 1000 is 12300.000000000002. */
function round(ms: number): number {
  return Math.round(ms * 1e6) / 1e6;
}
