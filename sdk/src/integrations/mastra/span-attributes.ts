import { stringifyValue } from "../../capture/integration.js";
import { modelMessages, toolDefinitions } from "../ai-sdk/model-messages.js";
import { providerName } from "../ai-sdk/provider-name.js";
import { countOf, elementsOf, field, numberOf, textOf } from "../json-fields.js";
import { nonEmpty, type ReadAttributes } from "../model-client/read-attributes.js";
import { reasoningParts, textParts, toolCallPart } from "../wire/message-parts.js";
import { promptText } from "../wire/message-texts.js";

/** Input and output of a span that is not a model call, with the session and the user of an agent. */
export function callAttributes(exported: unknown): ReadAttributes {
  const metadata = field(exported, "metadata");
  const input = field(exported, "input");
  const output = field(exported, "output");
  const attributes = field(exported, "attributes");
  return {
    tool_call_id: field(attributes, "toolCallId"),
    input_text:
      promptText(modelMessages(undefined, field(input, "messages") ?? input)) ?? stringifyValue(input),
    output_text: textOf(field(output, "text")) ?? stringifyValue(output),
    session_id: textOf(field(metadata, "threadId")),
    user_id: textOf(field(metadata, "resourceId")),
  };
}

/** Model, provider and parameters of a model call, and the tools of the generation that it belongs to. */
export function requestAttributes(exported: unknown, generation: unknown): ReadAttributes {
  const attributes = field(exported, "attributes");
  const parameters = field(attributes, "parameters");
  return {
    model: textOf(field(attributes, "model")),
    provider: providerName(field(attributes, "provider")),
    temperature: numberOf(field(parameters, "temperature")),
    max_tokens: numberOf(field(parameters, "maxOutputTokens")),
    top_p: numberOf(field(parameters, "topP")),
    tool_definitions: nonEmpty(toolDefinitions(field(field(generation, "attributes"), "tools"))),
  };
}

/**
 * Response and token counts of a model call. `inputTokens` includes cached tokens.
 *
 * @param prompt - the messages of the step that the call belongs to.
 */
export function responseAttributes(exported: unknown, prompt: unknown): ReadAttributes {
  const attributes = field(exported, "attributes");
  const output = field(exported, "output");
  const usage = field(attributes, "usage");
  const inputDetails = field(usage, "inputDetails");
  const finishReason = textOf(field(attributes, "finishReason"));
  const messages = modelMessages(undefined, field(prompt, "messages") ?? prompt);
  const text = textOf(field(output, "text"));
  const parts = [
    ...reasoningParts(field(output, "reasoning")),
    ...textParts(text),
    ...elementsOf(field(output, "toolCalls")).map((call) =>
      toolCallPart(field(call, "toolCallId"), field(call, "toolName"), field(call, "args")),
    ),
  ];
  return {
    model: textOf(field(attributes, "responseModel")),
    response_id: field(attributes, "responseId"),
    finish_reason: finishReason,
    tokens_input: countOf(field(usage, "inputTokens")),
    tokens_output: countOf(field(usage, "outputTokens")),
    tokens_cached: countOf(field(inputDetails, "cacheRead")),
    tokens_cache_write: countOf(field(inputDetails, "cacheWrite")),
    tokens_reasoning: countOf(field(field(usage, "outputDetails"), "reasoning")),
    prompt_messages: nonEmpty(messages),
    prompt_text: promptText(messages),
    completion_text: text,
    completion_messages: nonEmpty(
      parts.length === 0 ? [] : [{ role: "assistant", parts, finish_reason: finishReason }],
    ),
  };
}
