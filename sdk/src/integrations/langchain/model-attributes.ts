import type { SpanAttributes } from "../../capture/integration.js";
import { countOf, elementsOf, field, numberOf, textOf } from "../json-fields.js";
import { definedOnly, nonEmpty } from "../model-client/read-attributes.js";
import { completionText, promptText } from "../wire/message-texts.js";
import { toMessage, toTools } from "./messages.js";

/** Providers whose name in LangChain differs from the label `provider`. */
const PROVIDERS: Readonly<Record<string, string>> = {
  amazon_bedrock: "bedrock",
  bedrock: "bedrock",
  mistralai: "mistral",
  google_genai: "google",
  google_vertexai: "google",
  google: "google",
};

/** What is known of a model call when it starts. */
export function requestAttributes(extraParams: unknown, metadata: unknown): SpanAttributes {
  const parameters = field(extraParams, "invocation_params");
  const provider = textOf(field(metadata, "ls_provider"))?.toLowerCase();
  return definedOnly({
    model:
      textOf(field(metadata, "ls_model_name")) ??
      textOf(field(parameters, "model")) ??
      textOf(field(parameters, "model_name")),
    provider: provider === undefined ? undefined : (PROVIDERS[provider] ?? provider),
    stream: field(parameters, "stream") === true ? true : undefined,
    temperature: numberOf(field(metadata, "ls_temperature") ?? field(parameters, "temperature")),
    max_tokens: countOf(
      field(metadata, "ls_max_tokens") ??
        field(parameters, "max_tokens") ??
        field(parameters, "max_completion_tokens") ??
        field(parameters, "max_output_tokens"),
    ),
    tool_definitions: nonEmpty(toTools(field(parameters, "tools"))),
  });
}

/** The prompt of a chat model. */
export function chatPrompt(messages: unknown): SpanAttributes {
  const prompt = elementsOf(messages).map(toMessage);
  return definedOnly({ prompt_messages: nonEmpty(prompt), prompt_text: promptText(prompt) });
}

/** What the result of a model call says. */
export function resultAttributes(output: unknown): SpanAttributes {
  const generations = elementsOf(elementsOf(field(output, "generations"))[0]);
  const messages = generations.flatMap((generation) => {
    const message = field(generation, "message");
    return message === undefined ? [] : [toMessage(message)];
  });
  const [first] = generations;
  const message = field(first, "message");
  const metadata = field(message, "response_metadata");
  const extra = field(message, "additional_kwargs");
  const llmOutput = field(output, "llmOutput");
  const finishReason =
    textOf(field(metadata, "finish_reason")) ??
    textOf(field(metadata, "stop_reason")) ??
    textOf(field(extra, "stop_reason")) ??
    textOf(field(field(first, "generationInfo"), "finish_reason"));
  const [last] = messages;
  if (last !== undefined && finishReason !== undefined) last.finish_reason = finishReason;
  return definedOnly({
    model:
      textOf(field(metadata, "model_name")) ??
      textOf(field(metadata, "model")) ??
      textOf(field(extra, "model")) ??
      textOf(field(field(first, "generationInfo"), "model_name")) ??
      textOf(field(llmOutput, "model_name")),
    response_id: textOf(field(metadata, "id")) ?? textOf(field(extra, "id")),
    finish_reason: finishReason,
    completion_messages: nonEmpty(messages),
    completion_text: messages.length > 0 ? completionText(messages) : textOf(field(first, "text")),
    ...usageOf(
      field(message, "usage_metadata"),
      field(llmOutput, "tokenUsage") ?? field(llmOutput, "estimatedTokenUsage"),
    ),
  });
}

/** @param total - the usage of models that report no `usage_metadata`. */
function usageOf(usage: unknown, total: unknown): SpanAttributes {
  const input = field(usage, "input_token_details");
  return {
    tokens_input: countOf(field(usage, "input_tokens")) ?? countOf(field(total, "promptTokens")),
    tokens_output: countOf(field(usage, "output_tokens")) ?? countOf(field(total, "completionTokens")),
    tokens_cached: countOf(field(input, "cache_read")),
    tokens_cache_write: countOf(field(input, "cache_creation")),
    tokens_reasoning: countOf(field(field(usage, "output_token_details"), "reasoning")),
  };
}
