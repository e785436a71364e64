import type { Message, MessagePart } from "../../wire/index.js";
import { elementsOf, field, fieldsOf, textOf, type Fields } from "../json-fields.js";
import { noteResponseState } from "./background-responses.js";
import { answerIdentity } from "./chat-completions.js";
import { answerText, promptText } from "./chat-messages.js";
import { contentParts, toolCallPart, toolDefinitions, toolResultPart } from "./message-parts.js";
import type { Failure, Operation } from "./operation.js";
import { defined, someOf, type ReadAttributes } from "./read-attributes.js";
import { requestParameters } from "./request-parameters.js";
import { startResponsesFold } from "./responses-fold.js";
import { usageAttributes } from "./usage.js";

/** `responses.create`, which `parse` and `stream` of the client call too, and `responses.retrieve` of a stream. */
export const responses: Operation = {
  name: "chat",
  spanType: "llm",
  readRequest,
  readResponse,
  readFailure,
  onAnswer: (response) => void noteResponseState(response),
  startFold: startResponsesFold,
};

function readRequest(request: unknown): ReadAttributes {
  const messages = inputMessages(request);
  return defined({
    model: textOf(field(request, "model")),
    ...requestParameters(request),
    prompt_text: promptText(messages),
    prompt_messages: someOf(messages),
    tool_definitions: someOf(toolDefinitions(field(request, "tools"))),
  });
}

function readResponse(response: unknown): ReadAttributes {
  const messages = itemMessages(elementsOf(field(response, "output")));
  const finishReason = finishReasonOf(response, messages);
  const answer = messages.at(-1);
  if (answer !== undefined && finishReason !== undefined) answer.finish_reason = finishReason;
  return defined({
    ...answerIdentity(response),
    ...usageAttributes(response),
    finish_reason: finishReason,
    completion_text: answerText(messages.filter(({ role }) => role === "assistant").slice(-1)),
    completion_messages: someOf(messages),
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

/** Items as messages. What the model did in one turn, thoughts, words and calls, is one message of it. */
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
  const role = textOf(fields["role"]);
  const type = textOf(fields["type"]) ?? "message";
  if (type === "message") return { role: role ?? "user", parts: contentParts(fields["content"]) };
  if (type.endsWith("_output")) {
    return { role: "tool", parts: [toolResultPart(fields["call_id"], fields["output"] ?? fields["tools"])] };
  }
  if (type === "reasoning") {
    const parts = reasoningItemParts(fields);
    return parts.length > 0 ? { role: "assistant", parts } : undefined;
  }
  return { role: "assistant", parts: [callItemPart(type, fields)] };
}

function reasoningItemParts(item: Fields): MessagePart[] {
  const content = contentParts(item["content"]);
  return content.length > 0 ? content : contentParts(item["summary"]);
}

/** Calls that the application carries out, by the field that says what to do. */
const OWN_CALLS: Readonly<Record<string, string>> = {
  function_call: "arguments",
  custom_tool_call: "input",
  computer_call: "action",
  local_shell_call: "action",
  shell_call: "action",
  apply_patch_call: "operation",
};

function callItemPart(type: string, item: Fields): MessagePart {
  const argumentsField = OWN_CALLS[type];
  if (argumentsField !== undefined) {
    const name = textOf(item["name"]) ?? type.replace(/_call$/, "");
    return toolCallPart(item["call_id"] ?? item["id"], name, item[argumentsField] ?? item["actions"]);
  }
  if (!type.endsWith("_call")) return { ...item, type };
  const { id, status, ...call } = item;
  return {
    type: "server_tool_call",
    id: textOf(id) ?? "",
    name: textOf(item["name"]) ?? type.replace(/_call$/, ""),
    status: textOf(status) ?? "",
    server_tool_call: call,
  };
}

function finishReasonOf(response: unknown, messages: readonly Message[]): string | undefined {
  const cutShort = textOf(field(field(response, "incomplete_details"), "reason"));
  if (cutShort !== undefined) return cutShort;
  const status = textOf(field(response, "status"));
  if (status === "failed" || status === "cancelled") return status;
  // One that was cut off, or goes on in the background, has not stopped.
  if ((status ?? "completed") !== "completed" || messages.length === 0) return undefined;
  const called = messages.at(-1)?.parts.some(({ type }) => type === "tool_call") ?? false;
  return called ? "tool_calls" : "stop";
}

/** `status: "failed"` comes with HTTP 200, in a stream and without one, and the client does not throw. */
function readFailure(response: unknown): Failure | undefined {
  if (field(response, "status") !== "failed") return undefined;
  const error = field(response, "error");
  return {
    type: textOf(field(error, "code")) ?? "response_failed",
    message: textOf(field(error, "message")) ?? "The response failed.",
  };
}
