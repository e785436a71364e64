import type { Message, MessagePart, ToolDefinition } from "../../wire/index.js";
import { elementsOf, field, fieldsOf, member, textOf } from "../json-fields.js";
import { mediaPart, reasoningParts, textParts, toolCallPart, toolResultPart } from "../wire/message-parts.js";

const ROLES: Readonly<Record<string, string>> = {
  human: "user",
  ai: "assistant",
  AIMessageChunk: "assistant",
};

/** A message of LangChain in the format of spans. */
export function toMessage(message: unknown): Message {
  const type = textOf(field(message, "type")) ?? typeByMethod(message);
  const role = textOf(field(message, "role")) ?? ROLES[type] ?? type;
  const content = field(message, "content");
  if (role === "tool") return { role, parts: [toolResultPart(field(message, "tool_call_id"), content)] };
  // On a streamed message `tool_calls` is a getter, which LangChain calculates from the chunks.
  const calls = elementsOf(field(message, "tool_calls") ?? field(message, "tool_call_chunks"));
  const parts: MessagePart[] = [
    ...reasoningParts(field(field(message, "additional_kwargs"), "reasoning_content")),
    ...(typeof content === "string" ? textParts(content) : elementsOf(content).flatMap(blockParts)),
    ...calls.map((call) => toolCallPart(field(call, "id"), field(call, "name"), field(call, "args"))),
  ];
  return { role, parts };
}

/** Versions before 1 have no field with the type. */
function typeByMethod(message: unknown): string {
  const method = member(message, "_getType");
  return typeof method === "function" ? String(method.call(message)) : "user";
}

function blockParts(block: unknown): MessagePart[] {
  if (typeof block === "string") return textParts(block);
  const type = textOf(field(block, "type"));
  if (type === undefined) return [];
  switch (type) {
    case "text":
      return textParts(field(block, "text"));
    case "thinking":
      return reasoningParts(field(block, "thinking"));
    case "reasoning":
      return reasoningParts(
        field(block, "reasoning") ??
          elementsOf(field(block, "summary"))
            .map((part) => textOf(field(part, "text")))
            .join("\n"),
      );
    case "image_url":
      return [
        mediaPart("image", textOf(field(block, "image_url")) ?? field(field(block, "image_url"), "url")),
      ];
    // They are in `tool_calls` too.
    case "tool_use":
    case "tool_call":
    case "input_json_delta":
    case "function_call":
      return [];
    default:
      return [{ ...fieldsOf(block), type }];
  }
}

/** The tools of a request, in the format of OpenAI, Anthropic or Google. */
export function toTools(tools: unknown): ToolDefinition[] {
  return elementsOf(tools).flatMap((tool) => {
    const definition = field(tool, "function") ?? tool;
    const name = textOf(field(definition, "name"));
    if (name === undefined) return [];
    const description = textOf(field(definition, "description"));
    const parameters = field(definition, "parameters") ?? field(definition, "input_schema");
    return [
      {
        type: "function",
        name,
        ...(description !== undefined && { description }),
        ...(parameters !== undefined && { parameters }),
      },
    ];
  });
}

/**
 * The input or output of a run. Of a conversation only the last message: a graph passes the whole conversation to each of
 * its nodes.
 */
export function lastMessageOr(value: unknown): unknown {
  const output = field(value, "output");
  if (Array.isArray(output)) return output.map(fromCommand);
  const list = Array.isArray(value) ? (value as unknown[]) : field(value, "messages");
  const last: unknown = Array.isArray(list) ? list.at(-1) : value;
  if (field(last, "content") === undefined) return value;
  const { parts } = toMessage(last);
  const [only] = parts;
  if (parts.length !== 1 || only === undefined) return parts;
  return field(only, "content") ?? field(only, "response") ?? parts;
}

/** What a node of a graph decides: a change of the state, or the next node. */
function fromCommand(command: unknown): unknown {
  const node = textOf(field(command, "node"));
  if (node !== undefined) return { goto: node };
  const update = field(command, "update");
  return update === undefined ? lastMessageOr(command) : lastMessageOr(update);
}
