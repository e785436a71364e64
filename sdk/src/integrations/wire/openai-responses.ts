import type { Message, MessagePart } from "../../wire/index.js";
import { elementsOf, field, fieldsOf, textOf, type Fields } from "../json-fields.js";
import { responseIdentity } from "./openai-chat.js";
import { toolCallPart } from "./message-parts.js";
import { completionText, promptText } from "./message-texts.js";
import { contentParts, resultPart, toolDefinitions } from "./openai-content.js";
import type { ModelOperation, ResponseFailure } from "../model-client/operation.js";
import { definedOnly, nonEmpty, type ReadAttributes } from "../model-client/read-attributes.js";
import { requestParameters } from "./openai-request.js";
import { createResponsesAccumulator } from "./openai-responses-accumulator.js";
import { usageAttributes } from "./openai-usage.js";

/** `responses.create`, plain and streamed. */
export const openaiResponses: ModelOperation = {
  name: "chat",
  spanType: "llm",
  readRequest,
  readResponse,
  readFailure,
  createAccumulator: createResponsesAccumulator,
};

function readRequest(request: unknown): ReadAttributes {
  const messages = inputMessages(request);
  return definedOnly({
    model: textOf(field(request, "model")),
    ...requestParameters(request),
    prompt_text: promptText(messages),
    prompt_messages: nonEmpty(messages),
    tool_definitions: nonEmpty(toolDefinitions(field(request, "tools"))),
  });
}

function readResponse(response: unknown): ReadAttributes {
  const messages = itemMessages(elementsOf(field(response, "output")));
  const finishReason = finishReasonOf(response, messages);
  const last = messages.at(-1);
  if (last !== undefined && finishReason !== undefined) last.finish_reason = finishReason;
  return definedOnly({
    ...responseIdentity(response),
    ...usageAttributes(response),
    finish_reason: finishReason,
    completion_text: completionText(messages.filter(({ role }) => role === "assistant").slice(-1)),
    completion_messages: nonEmpty(messages),
  });
}

function inputMessages(request: unknown): Message[] {
  const instructions = contentParts(field(request, "instructions"));
  const input = field(request, "input");
  return [
    ...(instructions.length > 0 ? [{ role: "system", parts: instructions }] : []),
    ...(typeof input === "string"
      ? [{ role: "user", parts: contentParts(input) }]
      : itemMessages(elementsOf(input))),
  ];
}

/** Items as messages. Consecutive items of the model (reasoning, text, calls) become one message. */
function itemMessages(items: readonly unknown[]): Message[] {
  const messages: Message[] = [];
  for (const item of items) {
    const message = itemMessage(item);
    if (message === undefined) continue;
    const last = messages.at(-1);
    if (message.role !== "assistant" || last?.role !== "assistant") messages.push(message);
    else for (const part of message.parts) last.parts.push(part);
  }
  return messages;
}

function itemMessage(item: unknown): Message | undefined {
  const fields = fieldsOf(item);
  if (fields === undefined) return undefined;
  const role = textOf(field(fields, "role"));
  const type = textOf(field(fields, "type")) ?? "message";
  if (type === "message") return { role: role ?? "user", parts: contentParts(field(fields, "content")) };
  if (type.endsWith("_output")) {
    return {
      role: "tool",
      parts: [resultPart(field(fields, "call_id"), field(fields, "output") ?? field(fields, "tools"))],
    };
  }
  if (type === "reasoning") {
    const parts = reasoningItemParts(fields);
    return parts.length > 0 ? { role: "assistant", parts } : undefined;
  }
  return { role: "assistant", parts: [callItemPart(type, fields)] };
}

function reasoningItemParts(item: Fields): MessagePart[] {
  const content = contentParts(field(item, "content"));
  return content.length > 0 ? content : contentParts(field(item, "summary"));
}

/** Calls that the app executes, with the field of their arguments. */
const CLIENT_CALLS: Readonly<Record<string, string>> = {
  function_call: "arguments",
  custom_tool_call: "input",
  computer_call: "action",
  local_shell_call: "action",
  shell_call: "action",
  apply_patch_call: "operation",
};

function callItemPart(type: string, item: Fields): MessagePart {
  const argumentsField = CLIENT_CALLS[type];
  if (argumentsField !== undefined) {
    const name = textOf(field(item, "name")) ?? type.replace(/_call$/, "");
    return toolCallPart(
      field(item, "call_id") ?? field(item, "id"),
      name,
      field(item, argumentsField) ?? field(item, "actions"),
    );
  }
  if (!type.endsWith("_call")) return item as MessagePart;
  const { id, status, ...call } = item;
  return {
    type: "server_tool_call",
    id: textOf(id) ?? "",
    name: textOf(field(item, "name")) ?? type.replace(/_call$/, ""),
    status: textOf(status) ?? "",
    server_tool_call: call,
  };
}

function finishReasonOf(response: unknown, messages: readonly Message[]): string | undefined {
  const cutShort = textOf(field(field(response, "incomplete_details"), "reason"));
  if (cutShort !== undefined) return cutShort;
  const status = textOf(field(response, "status"));
  if (status === "failed" || status === "cancelled") return status;
  // A response that was cut off, or continues in the background, has no finish reason.
  if ((status ?? "completed") !== "completed" || messages.length === 0) return undefined;
  const hasToolCall = messages.at(-1)?.parts.some(({ type }) => type === "tool_call") ?? false;
  return hasToolCall ? "tool_calls" : "stop";
}

/** A failed response has HTTP status 200 and `status: "failed"`, streamed or not. The client does not throw. */
function readFailure(response: unknown): ResponseFailure | undefined {
  if (field(response, "status") !== "failed") return undefined;
  const error = field(response, "error");
  return {
    type: textOf(field(error, "code")) ?? "response_failed",
    message: textOf(field(error, "message")) ?? "The response failed.",
  };
}
