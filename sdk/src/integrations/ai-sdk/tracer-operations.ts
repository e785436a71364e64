import { startSpan, type ManualSpan, type ModelSpan } from "../../capture/integration.js";
import { countOf, elementsOf, field, parseJsonOrText, textOf } from "../json-fields.js";
import type { ReadAttributes } from "../model-client/read-attributes.js";
import { promptText } from "../wire/message-texts.js";
import { modelMessages } from "./model-messages.js";
import { requestAttributes, responseAttributes, startCallSpan } from "./open-model-call.js";
import { providerName } from "./provider-name.js";
import { tokenCounts } from "./token-counts.js";

/** A span of the AI SDK, and how its attributes are read. */
export interface TracedOperation {
  readonly span: ManualSpan;
  /** The span again, if it is a call that the AI SDK may retry. */
  readonly call?: ModelSpan;
  /** Reads the attributes that the AI SDK sets, at the start or later. */
  readonly read: (attributes: object) => ReadAttributes;
}

/** Starts the span of an operation by the name that the AI SDK gives it, such as `ai.streamText.doStream`. */
export function startTracedOperation(name: string, attributes: object): TracedOperation {
  const text = (key: string): string | undefined => textOf(field(attributes, key));
  const model = { model: text("ai.model.id") };
  if (isModelCall(name)) {
    const call = startCallSpan("llm", model);
    return { span: call, call, read: readModelCall };
  }
  if (name.endsWith(".doEmbed")) return { span: startCallSpan("embedding", model), read: readEmbedding };
  if (name === "ai.toolCall")
    return {
      span: startSpan({ name: text("ai.toolCall.name") ?? "tool", spanType: "tool" }),
      read: readTool,
    };
  const functionId = text("ai.telemetry.functionId");
  const spanType = functionId === undefined ? "task" : "agent";
  return {
    span: startSpan({ name: functionId ?? name.replace("ai.", ""), spanType }),
    read: readRoot,
  };
}

/** True for the name of a span around one call of a language model. */
export function isModelCall(name: string): boolean {
  return /\.do(Generate|Stream)$/.test(name);
}

/** Version 5 does not record all token counts of a plain call. Its result has them. */
export function resultTokens(result: unknown): ReadAttributes {
  const { tokens_cached, tokens_reasoning } = tokenCounts(field(result, "usage"));
  return { tokens_cached, tokens_reasoning };
}

/** The value of an attribute that holds JSON text. */
function json(attributes: object, key: string): unknown {
  const text = textOf(field(attributes, key));
  return text === undefined ? undefined : parseJsonOrText(text);
}

function readModelCall(attributes: object): ReadAttributes {
  const get = (key: string): unknown => field(attributes, `ai.${key}`);
  const setting = (key: string): unknown => field(attributes, `gen_ai.request.${key}`);
  const request = {
    modelId: get("response.model") ?? get("model.id"),
    provider: get("model.provider"),
    temperature: setting("temperature"),
    maxOutputTokens: setting("max_tokens"),
    messages: json(attributes, "ai.prompt.messages"),
    tools: elementsOf(get("prompt.tools")).map((tool) => parseJsonOrText(String(tool))),
  };
  const toolCalls = elementsOf(json(attributes, "ai.response.toolCalls")) as readonly object[];
  const content = [
    { type: "reasoning", text: get("response.reasoning") },
    { type: "text", text: get("response.text") ?? get("response.object") },
    ...toolCalls.map((call) => ({ ...call, type: "tool-call" })),
  ];
  const response = { finishReason: get("response.finishReason"), usage: readUsage(attributes) };
  return {
    ...requestAttributes(request),
    response_id: get("response.id"),
    ...responseAttributes(response, content),
  };
}

/**
 * Token counts in the shape of version 6, where the input includes the cache. Version 5 forwards the counts of Anthropic and
 * Bedrock, which exclude it. Its plain calls have other names than its streams.
 */
function readUsage(attributes: object): object {
  const count = (key: string): number | undefined => countOf(field(attributes, `ai.usage.${key}`));
  const [[provider, metadata] = []] = Object.entries(
    Object(json(attributes, "ai.response.providerMetadata")) as object,
  );
  const cachedInputTokens = count("cachedInputTokens");
  const written =
    countOf(field(metadata, "cacheCreationInputTokens")) ??
    countOf(field(field(metadata, "usage"), "cacheWriteInputTokens"));
  const isExclusive =
    count("inputTokenDetails.noCacheTokens") === undefined &&
    (provider === "anthropic" || provider === "bedrock");
  const input = count("inputTokens") ?? count("promptTokens");
  return {
    inputTokens:
      isExclusive && input !== undefined ? input + (cachedInputTokens ?? 0) + (written ?? 0) : input,
    outputTokens: count("outputTokens") ?? count("completionTokens"),
    cachedInputTokens,
    inputTokenDetails: { cacheWriteTokens: count("inputTokenDetails.cacheWriteTokens") ?? written },
    reasoningTokens: count("reasoningTokens"),
  };
}

function readEmbedding(attributes: object): ReadAttributes {
  const values = elementsOf(field(attributes, "ai.values")).map((value) => parseJsonOrText(String(value)));
  return {
    provider: providerName(field(attributes, "ai.model.provider")),
    tokens_input: countOf(field(attributes, "ai.usage.tokens")),
    prompt_text: textOf(values.join("\n")),
  };
}

function readTool(attributes: object): ReadAttributes {
  return {
    tool_call_id: field(attributes, "ai.toolCall.id"),
    input_text: field(attributes, "ai.toolCall.args"),
    output_text: field(attributes, "ai.toolCall.result"),
  };
}

/** The usage on the span around the model calls repeats theirs, and is not read. */
function readRoot(attributes: object): ReadAttributes {
  const prompt = json(attributes, "ai.prompt");
  const messages = field(prompt, "messages") ?? field(prompt, "prompt");
  return {
    input_text: promptText(modelMessages(undefined, messages)) ?? field(attributes, "ai.value"),
    output_text: field(attributes, "ai.response.text") ?? field(attributes, "ai.response.object"),
    session_id: field(attributes, "ai.telemetry.metadata.sessionId"),
    user_id: field(attributes, "ai.telemetry.metadata.userId"),
  };
}
