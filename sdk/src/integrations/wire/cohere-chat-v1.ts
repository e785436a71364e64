import type { Message, MessagePart, ToolDefinition } from "../../wire/index.js";
import { elementsOf, field, fieldsOf, textOf, type Fields } from "../json-fields.js";
import { appendLimited } from "../model-client/append-limited.js";
import type { ModelOperation, StreamAccumulator } from "../model-client/operation.js";
import { definedOnly, nonEmpty } from "../model-client/read-attributes.js";
import { cohereParameters } from "./cohere-parameters.js";
import { cohereFailure, cohereUsage } from "./cohere-usage.js";
import { textParts, toolCallPart, toolResultPart } from "./message-parts.js";
import { completionText } from "./message-texts.js";

/** Cohere's `/v1/chat`. Streams are lines of JSON; the last one has the complete response. */
export const cohereChatV1: ModelOperation = {
  name: "chat",
  spanType: "llm",
  readRequest: (request) =>
    definedOnly({
      model: textOf(field(request, "model")),
      ...cohereParameters(request),
      prompt_text: textOf(field(request, "message")),
      prompt_messages: nonEmpty(promptMessages(request)),
      tool_definitions: nonEmpty(elementsOf(field(request, "tools")).flatMap(toolDefinition)),
    }),
  readResponse: (response) => {
    const finishReason = textOf(field(response, "finish_reason"));
    const parts = [...textParts(field(response, "text")), ...toolCalls(response)];
    const messages = [
      { role: "assistant", parts, ...(finishReason !== undefined && { finish_reason: finishReason }) },
    ];
    return definedOnly({
      response_id: textOf(field(response, "response_id")) ?? textOf(field(response, "generation_id")),
      ...cohereUsage(field(response, "meta")),
      finish_reason: finishReason,
      completion_text: completionText(messages),
      completion_messages: parts.length > 0 ? messages : undefined,
    });
  },
  readFailure: cohereFailure,
  createAccumulator,
};

const ROLES: Readonly<Record<string, string>> = {
  CHATBOT: "assistant",
  USER: "user",
  SYSTEM: "system",
  TOOL: "tool",
};

/** The instructions, the earlier messages, and the message or the results of tools that the request is about. */
function promptMessages(request: unknown): Message[] {
  const results = field(request, "tool_results");
  return [
    ...messageOf({ role: "SYSTEM", message: field(request, "preamble") }),
    ...elementsOf(field(request, "chat_history")).flatMap(messageOf),
    ...messageOf({ role: "USER", message: field(request, "message") }),
    ...messageOf({ role: "TOOL", tool_results: results }),
  ];
}

function messageOf(message: unknown): Message[] {
  const role = textOf(field(message, "role")) ?? "USER";
  const parts = [
    ...textParts(field(message, "message")),
    ...toolCalls(message),
    // The results have the call that they belong to instead of its id.
    ...elementsOf(field(message, "tool_results")).map((result) =>
      toolResultPart(field(field(result, "call"), "name"), field(result, "outputs")),
    ),
  ];
  return parts.length === 0 ? [] : [{ role: ROLES[role] ?? role, parts }];
}

function toolCalls(message: unknown): MessagePart[] {
  return elementsOf(field(message, "tool_calls")).map((call) =>
    toolCallPart(undefined, field(call, "name"), field(call, "parameters")),
  );
}

function toolDefinition(tool: unknown): ToolDefinition[] {
  const name = textOf(field(tool, "name"));
  if (name === undefined) return [];
  const description = textOf(field(tool, "description"));
  const parameters = fieldsOf(field(tool, "parameter_definitions"));
  return [
    {
      type: "function",
      name,
      ...(description !== undefined && { description }),
      ...(parameters !== undefined && { parameters }),
    },
  ];
}

function createAccumulator(): StreamAccumulator {
  let text = "";
  let calls: unknown;
  let generationId: string | undefined;
  let end: Fields | undefined;
  return {
    add(event) {
      const type = field(event, "event_type");
      generationId ??= textOf(field(event, "generation_id"));
      if (type === "stream-end") end = fieldsOf(event);
      calls = field(event, "tool_calls") ?? calls;
      const piece = type === "text-generation" ? (textOf(field(event, "text")) ?? "") : "";
      text = appendLimited(text, piece);
      return piece !== "" || type === "tool-calls-chunk" || type === "tool-calls-generation";
    },
    response: () => ({
      text,
      tool_calls: calls,
      generation_id: generationId,
      ...fieldsOf(end?.["response"]),
      ...(end !== undefined && { finish_reason: end["finish_reason"] }),
    }),
    isComplete: () => end !== undefined,
  };
}
