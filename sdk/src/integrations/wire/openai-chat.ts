import { elementsOf, field, textOf } from "../json-fields.js";
import type { ModelOperation, ResponseFailure } from "../model-client/operation.js";
import { definedOnly, nonEmpty, type ReadAttributes } from "../model-client/read-attributes.js";
import { createChatAccumulator } from "./openai-chat-accumulator.js";
import { completionText, promptText } from "./message-texts.js";
import { toolDefinitions } from "./openai-content.js";
import { chatMessageParts, chatMessages } from "./openai-messages.js";
import { requestParameters } from "./openai-request.js";
import { usageAttributes } from "./openai-usage.js";
import { failureIn } from "./response-failure.js";

/** `chat.completions.create`, which the client's `parse`, `stream` and `runTools` call too. */
export const openaiChat: ModelOperation = {
  name: "chat",
  spanType: "llm",
  readRequest,
  readResponse,
  readFailure,
  createAccumulator: createChatAccumulator,
};

function readRequest(request: unknown): ReadAttributes {
  const messages = chatMessages(field(request, "messages"));
  const tools = [
    ...toolDefinitions(field(request, "tools")),
    ...toolDefinitions(field(request, "functions")),
  ];
  return definedOnly({
    model: textOf(field(request, "model")),
    ...requestParameters(request),
    prompt_text: promptText(messages),
    prompt_messages: nonEmpty(messages),
    tool_definitions: nonEmpty(tools),
  });
}

function readResponse(response: unknown): ReadAttributes {
  const choices = elementsOf(field(response, "choices"));
  const messages = choices.map((choice) => {
    const message = field(choice, "message");
    const finishReason = textOf(field(choice, "finish_reason"));
    return {
      role: textOf(field(message, "role")) ?? "assistant",
      parts: chatMessageParts(message),
      ...(finishReason !== undefined && { finish_reason: finishReason }),
    };
  });
  return definedOnly({
    ...responseIdentity(response),
    ...usageAttributes(response),
    finish_reason: finishReasons(choices),
    completion_text: completionText(messages),
    completion_messages: nonEmpty(messages),
  });
}

function readFailure(response: unknown): ResponseFailure | undefined {
  const choices = elementsOf(field(response, "choices"));
  return failureIn([response, ...choices].map((place) => field(place, "error")));
}

/** The model that responded, and the ids of the response. */
export function responseIdentity(response: unknown): ReadAttributes {
  return definedOnly({
    model: textOf(field(response, "model")),
    response_id: textOf(field(response, "id")),
    service_tier: textOf(field(response, "service_tier")),
    system_fingerprint: textOf(field(response, "system_fingerprint")),
  });
}

/** Why the model stopped. If there are several choices, each different reason is listed once. */
export function finishReasons(choices: readonly unknown[]): string | undefined {
  const reasons = choices.flatMap((choice) => textOf(field(choice, "finish_reason")) ?? []);
  return textOf([...new Set(reasons)].join(","));
}
