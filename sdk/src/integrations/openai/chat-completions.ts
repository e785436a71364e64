import { elementsOf, field, textOf } from "../json-fields.js";
import { failureIn } from "./api-error.js";
import { startChatFold } from "./chat-fold.js";
import { answerText, chatMessageParts, chatMessages, promptText } from "./chat-messages.js";
import { toolDefinitions } from "./message-parts.js";
import type { Failure, Operation } from "./operation.js";
import { defined, someOf, type ReadAttributes } from "./read-attributes.js";
import { requestParameters } from "./request-parameters.js";
import { usageAttributes } from "./usage.js";

/** `chat.completions.create`, which `parse`, `stream` and `runTools` of the client call too. */
export const chatCompletions: Operation = {
  name: "chat",
  spanType: "llm",
  readRequest,
  readResponse,
  readFailure,
  startFold: startChatFold,
  usageOnRequest: true,
};

function readRequest(request: unknown): ReadAttributes {
  const messages = chatMessages(field(request, "messages"));
  const tools = [
    ...toolDefinitions(field(request, "tools")),
    ...toolDefinitions(field(request, "functions")),
  ];
  return defined({
    model: textOf(field(request, "model")),
    ...requestParameters(request),
    prompt_text: promptText(messages),
    prompt_messages: someOf(messages),
    tool_definitions: someOf(tools),
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
  return defined({
    ...answerIdentity(response),
    ...usageAttributes(response),
    finish_reason: finishReasons(choices),
    completion_text: answerText(messages),
    completion_messages: someOf(messages),
  });
}

function readFailure(response: unknown): Failure | undefined {
  const choices = elementsOf(field(response, "choices"));
  return failureIn([response, ...choices].map((place) => field(place, "error")));
}

/** Who answered, and under which id. */
export function answerIdentity(response: unknown): ReadAttributes {
  return defined({
    model: textOf(field(response, "model")),
    response_id: textOf(field(response, "id")),
    service_tier: textOf(field(response, "service_tier")),
    system_fingerprint: textOf(field(response, "system_fingerprint")),
  });
}

/** Why the model stopped; of several answers each reason once. */
export function finishReasons(choices: readonly unknown[]): string | undefined {
  const reasons = choices.flatMap((choice) => textOf(field(choice, "finish_reason")) ?? []);
  return textOf([...new Set(reasons)].join(","));
}
