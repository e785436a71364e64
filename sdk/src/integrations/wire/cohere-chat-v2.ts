import type { Message } from "../../wire/index.js";
import { elementsOf, field, fieldsOf, indexOf, textOf, type Fields } from "../json-fields.js";
import { appendLimited, keepText, newTextRoom, type TextRoom } from "../model-client/append-limited.js";
import { IndexedParts } from "../model-client/indexed-parts.js";
import type { ModelOperation, StreamAccumulator } from "../model-client/operation.js";
import { definedOnly, nonEmpty } from "../model-client/read-attributes.js";
import { cohereParameters } from "./cohere-parameters.js";
import { cohereFailure, cohereUsage } from "./cohere-usage.js";
import { reasoningParts } from "./message-parts.js";
import { completionText, promptText } from "./message-texts.js";
import { toolDefinitions } from "./openai-content.js";
import { chatMessageParts } from "./openai-messages.js";

/** Cohere's `/v2/chat`. Its messages are those of OpenAI's chats, with a plan before the calls of tools. */
export const cohereChatV2: ModelOperation = {
  name: "chat",
  spanType: "llm",
  readRequest: (request) => {
    const messages = elementsOf(field(request, "messages")).flatMap(toMessage);
    return definedOnly({
      model: textOf(field(request, "model")),
      ...cohereParameters(request),
      prompt_text: promptText(messages),
      prompt_messages: nonEmpty(messages),
      tool_definitions: nonEmpty(toolDefinitions(field(request, "tools"))),
    });
  },
  readResponse: (response) => {
    const finishReason = textOf(field(response, "finish_reason"));
    const message = { role: "assistant", ...fieldsOf(field(response, "message")) };
    const messages = toMessage(message).map((read) => ({
      ...read,
      ...(finishReason !== undefined && { finish_reason: finishReason }),
    }));
    return definedOnly({
      response_id: textOf(field(response, "id")),
      ...cohereUsage(field(response, "usage")),
      finish_reason: finishReason,
      completion_text: completionText(messages),
      completion_messages: nonEmpty(messages),
    });
  },
  readFailure: cohereFailure,
  createAccumulator,
};

function toMessage(message: unknown): Message[] {
  const role = textOf(field(message, "role"));
  if (role === undefined) return [];
  return [{ role, parts: [...reasoningParts(field(message, "tool_plan")), ...chatMessageParts(message)] }];
}

/** A content part or a tool call that arrives in pieces. */
interface Piece {
  text: string;
  thinking: string;
}

interface Call extends Piece {
  id: string | undefined;
  name: string | undefined;
}

function createAccumulator(): StreamAccumulator {
  const contents = new IndexedParts<Piece>(() => ({ text: "", thinking: "" }));
  const calls = new IndexedParts<Call>(() => ({ text: "", thinking: "", id: undefined, name: undefined }));
  const room = newTextRoom();
  let plan = "";
  let id: string | undefined;
  let end: Fields | undefined;

  return {
    add(event) {
      const delta = field(event, "delta");
      const message = field(delta, "message");
      id ??= textOf(field(event, "id"));
      if (field(event, "type") === "message-end") end = fieldsOf(delta);
      const planned = textOf(field(message, "tool_plan")) ?? "";
      plan = appendLimited(plan, planned, room);
      const content = fieldsOf(field(message, "content"));
      const call = fieldsOf(field(message, "tool_calls"));
      const index = indexOf(field(event, "index"), 0);
      if (call !== undefined) addCall(calls.at(index), call, room);
      return (
        (content !== undefined && addContent(contents.at(index), content, room)) ||
        planned !== "" ||
        call !== undefined
      );
    },
    response: () => ({
      ...end,
      id,
      message: {
        tool_plan: plan,
        content: contents
          .inOrder()
          .flatMap(({ text, thinking }) => [
            ...(thinking === "" ? [] : [{ type: "thinking", thinking }]),
            ...(text === "" ? [] : [{ type: "text", text }]),
          ]),
        tool_calls: calls
          .inOrder()
          .map((each) => ({ id: each.id, function: { name: each.name, arguments: each.text } })),
      },
    }),
    isComplete: () => end !== undefined,
  };
}

function addCall(call: Call, piece: Fields, room: TextRoom): void {
  call.id ??= keepText(piece["id"], room);
  call.name ??= keepText(field(piece["function"], "name"), room);
  call.text = appendLimited(call.text, textOf(field(piece["function"], "arguments")) ?? "", room);
}

/** Returns true if the piece has generated content. */
function addContent(content: Piece, piece: Fields, room: TextRoom): boolean {
  const text = textOf(piece["text"]) ?? "";
  const thinking = textOf(piece["thinking"]) ?? "";
  content.text = appendLimited(content.text, text, room);
  content.thinking = appendLimited(content.thinking, thinking, room);
  return text !== "" || thinking !== "";
}
