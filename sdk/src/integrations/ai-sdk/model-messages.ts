import { toBase64 } from "../../platform/base64.js";
import type { Message, MessagePart, ToolDefinition } from "../../wire/index.js";
import { elementsOf, field, fieldsOf, textOf, type Fields } from "../json-fields.js";
import { mediaPart, reasoningParts, textParts, toolCallPart, toolResultPart } from "../wire/message-parts.js";

/** Larger files are named by their size: their content would fill the span. */
const MAX_FILE_BYTES = 512 * 1024;

/**
 * The messages of a model call, with the instructions as a system message. Reads the messages of apps and those that the AI
 * SDK sends to a provider.
 */
export function modelMessages(instructions: unknown, messages: unknown): Message[] {
  const system = textParts(instructions);
  const others = Array.isArray(instructions) ? elementsOf(instructions) : [instructions];
  const users = typeof messages === "string" ? [{ role: "user", content: messages }] : elementsOf(messages);
  return [
    ...(system.length > 0 ? [{ role: "system", parts: system }] : []),
    ...[...others, ...users].flatMap((message) => {
      const role = textOf(field(message, "role"));
      return role === undefined ? [] : [{ role, parts: contentParts(field(message, "content")) }];
    }),
  ];
}

/** The response of a model as a message. */
export function modelResponse(content: unknown, finishReason: unknown): Message[] {
  // Results of tools that the app runs follow the response.
  const parts = contentParts(
    elementsOf(content).filter((part) => !/^tool-(result|error|approval)/.test(String(field(part, "type")))),
  );
  const reason = textOf(finishReason);
  if (parts.length === 0 && reason === undefined) return [];
  return [{ role: "assistant", parts, ...(reason !== undefined && { finish_reason: reason }) }];
}

function contentParts(content: unknown): MessagePart[] {
  if (typeof content === "string") return textParts(content);
  return elementsOf(content).flatMap((part) => {
    const fields = fieldsOf(part);
    return fields === undefined ? [] : contentPart(fields);
  });
}

function contentPart(part: Fields): MessagePart[] {
  const { type, toolCallId } = part;
  switch (type) {
    case "text":
      return textParts(part["text"]);
    case "reasoning":
      return reasoningParts(part["text"]);
    case "tool-call":
      return [toolCallPart(toolCallId, part["toolName"], part["input"])];
    case "tool-result":
      return [toolResultPart(toolCallId, toolOutput(part["output"]))];
    case "image":
    case "file":
    case "reasoning-file":
      return [filePart(part)];
    default:
      return typeof type === "string" ? [{ ...part, type }] : [];
  }
}

/** The AI SDK sends `{ type: "json", value }` to providers. */
function toolOutput(output: unknown): unknown {
  const type = field(output, "type");
  return typeof type === "string" ? (field(output, "value") ?? output) : output;
}

function filePart(part: Fields): MessagePart {
  const file = fieldsOf(part["file"]) ?? part;
  const mimeType = textOf(file["mediaType"]) ?? "";
  const modality = mimeType.split("/", 1)[0] || String(part["type"]);
  const data = file["image"] ?? file["data"] ?? file["base64Data"] ?? file["uint8ArrayData"];
  const source = field(data, "url") ?? field(data, "data") ?? data;
  if (source instanceof URL || /^[a-z]+:/.test(String(textOf(source))))
    return mediaPart(modality, String(source));
  return { type: "blob", modality, mime_type: mimeType, content: base64(source) };
}

function base64(data: unknown): string {
  if (!(data instanceof Uint8Array)) return textOf(data) ?? "";
  return data.length > MAX_FILE_BYTES ? `[${data.length} bytes]` : toBase64(data);
}

/** The definitions of the offered tools. Settings of a provider's own tools are not read: they may contain credentials. */
export function toolDefinitions(tools: unknown): ToolDefinition[] {
  return elementsOf(tools).flatMap((tool) => {
    const name = textOf(field(tool, "name"));
    if (name === undefined) return [];
    const description = textOf(field(tool, "description"));
    const parameters = field(tool, "inputSchema") ?? field(tool, "parameters");
    return [
      {
        type: textOf(field(tool, "type")) ?? "function",
        name,
        ...(description !== undefined && { description }),
        ...(parameters !== undefined && { parameters }),
      },
    ];
  });
}
