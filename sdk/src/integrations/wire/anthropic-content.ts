import type { Message, MessagePart, ToolDefinition } from "../../wire/index.js";
import { elementsOf, field, fieldsOf, textOf } from "../json-fields.js";
import {
  mediaPart,
  partsText,
  reasoningParts,
  textParts,
  toolCallPart,
  toolResultPart,
} from "./message-parts.js";
import { toolDefinition } from "./tool-definition.js";

/** The instructions and messages of a request. */
export function anthropicMessages(request: unknown): Message[] {
  const instructions = contentParts(field(request, "system"));
  const messages = elementsOf(field(request, "messages")).flatMap((message) => {
    const role = textOf(field(message, "role"));
    if (role === undefined) return [];
    const parts = contentParts(field(message, "content"));
    // The results of tools are sent as messages of the user.
    const isResults = parts.length > 0 && parts.every(({ type }) => type === "tool_call_response");
    return [{ role: isResults ? "tool" : role, parts }];
  });
  return instructions.length > 0 ? [{ role: "system", parts: instructions }, ...messages] : messages;
}

/** The parts of a content: a text, or a list of blocks. Blocks of unknown type are kept unchanged. */
export function contentParts(content: unknown): MessagePart[] {
  return typeof content === "string" ? textParts(content) : elementsOf(content).flatMap(blockParts);
}

function blockParts(block: unknown): MessagePart[] {
  const type = textOf(field(block, "type"));
  if (type === undefined) return [];
  switch (type) {
    case "text":
      return textParts(field(block, "text"));
    case "thinking":
      return reasoningParts(field(block, "thinking"));
    case "redacted_thinking":
      return [{ type }];
    case "image":
      return sourceParts("image", block);
    case "document":
      return sourceParts("file", block);
    case "tool_use":
      return [toolCallPart(field(block, "id"), field(block, "name"), field(block, "input"))];
    case "tool_result":
      return [resultPart(block)];
  }
  if (type.endsWith("_tool_use")) {
    return [{ ...serverPart("server_tool_call", type, block, "input"), name: field(block, "name") }];
  }
  if (type.endsWith("_tool_result")) return [serverPart("server_tool_call_response", type, block, "content")];
  // The span copies the block.
  return [block as MessagePart];
}

function resultPart(block: unknown): MessagePart {
  const content = field(block, "content");
  const parts = contentParts(content);
  const isText = Array.isArray(content) && parts.every(({ type }) => type === "text");
  const part = toolResultPart(field(block, "tool_use_id"), isText ? partsText(parts) : content);
  return field(block, "is_error") === true ? { ...part, is_error: true } : part;
}

/** A tool that the provider runs: its call or its result. */
function serverPart(kind: string, type: string, block: unknown, payload: string): MessagePart {
  const id = textOf(field(block, "id")) ?? textOf(field(block, "tool_use_id")) ?? "";
  return { type: kind, id, [kind]: { type, [payload]: field(block, payload) } };
}

function sourceParts(modality: string, block: unknown): MessagePart[] {
  const source = fieldsOf(field(block, "source"));
  const data = textOf(field(source, "data"));
  const name = textOf(field(block, "title"));
  const fileName = name !== undefined && { file_name: name };
  switch (field(source, "type")) {
    case "base64": {
      const mimeType = textOf(field(source, "media_type")) ?? "";
      return [{ type: "blob", modality, mime_type: mimeType, content: data ?? "", ...fileName }];
    }
    case "text":
      return textParts(data);
    case "content":
      return contentParts(field(source, "content"));
    default:
      return [{ ...mediaPart(modality, field(source, "url") ?? field(source, "file_id")), ...fileName }];
  }
}

/** The offered tools. The provider's own tools have only a type and a name: other fields can contain credentials. */
export function anthropicTools(tools: unknown): ToolDefinition[] {
  return elementsOf(tools).flatMap((tool) => {
    const type = textOf(field(tool, "type")) ?? "custom";
    const name = field(tool, "name");
    if (type !== "custom")
      return [{ type, name: textOf(name) ?? textOf(field(tool, "mcp_server_name")) ?? type }];
    return toolDefinition("function", name, field(tool, "description"), field(tool, "input_schema"));
  });
}
