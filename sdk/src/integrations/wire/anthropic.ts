import { field, fieldsOf, textOf } from "../json-fields.js";
import type { ModelOperation } from "../model-client/operation.js";
import { definedOnly, nonEmpty, type ReadAttributes } from "../model-client/read-attributes.js";
import { createAnthropicAccumulator } from "./anthropic-accumulator.js";
import { anthropicMessages, anthropicTools, contentParts } from "./anthropic-content.js";
import { anthropicUsage } from "./anthropic-usage.js";
import { completionText, promptText } from "./message-texts.js";
import { failureIn } from "./response-failure.js";

/**
 * The Messages API of Anthropic: `POST /v1/messages`, plain and streamed. Bedrock (`InvokeModel`) and Vertex AI answer Claude
 * models in the same format.
 */
export const anthropicMessage: ModelOperation = {
  name: "chat",
  spanType: "llm",
  readRequest,
  readResponse,
  readFailure: (response) => failureIn([field(response, "error")]),
  createAccumulator: createAnthropicAccumulator,
};

function readRequest(request: unknown): ReadAttributes {
  const messages = anthropicMessages(request);
  const output = field(request, "output_config");
  const format = field(output, "format") ?? field(request, "output_format");
  const thinking = field(request, "thinking");
  const toolChoice = field(request, "tool_choice");
  return definedOnly({
    model: textOf(field(request, "model")),
    max_tokens: field(request, "max_tokens"),
    temperature: field(request, "temperature"),
    top_p: field(request, "top_p"),
    top_k: field(request, "top_k"),
    stop: field(request, "stop_sequences"),
    service_tier: field(request, "service_tier"),
    reasoning_effort: textOf(field(output, "effort")),
    thinking: textOf(field(thinking, "type")),
    thinking_budget: field(thinking, "budget_tokens"),
    response_format: textOf(field(format, "type")),
    tool_choice: textOf(field(toolChoice, "name")) ?? textOf(field(toolChoice, "type")),
    parallel_tool_calls: field(toolChoice, "disable_parallel_tool_use") === true ? false : undefined,
    prompt_text: promptText(messages),
    prompt_messages: nonEmpty(messages),
    tool_definitions: nonEmpty(anthropicTools(field(request, "tools"))),
  });
}

function readResponse(response: unknown): ReadAttributes {
  const finishReason = textOf(field(response, "stop_reason"));
  const parts = contentParts(field(response, "content"));
  const message = {
    role: textOf(field(response, "role")) ?? "assistant",
    parts,
    ...(finishReason !== undefined && { finish_reason: finishReason }),
  };
  return definedOnly({
    model: textOf(field(response, "model")),
    response_id: textOf(field(response, "id")),
    service_tier: textOf(field(field(response, "usage"), "service_tier")),
    ...anthropicUsage(response),
    finish_reason: finishReason,
    completion_text: completionText([message]),
    completion_messages: fieldsOf(response) !== undefined && parts.length > 0 ? [message] : undefined,
  });
}
