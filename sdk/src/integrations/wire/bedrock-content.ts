import { toBase64 } from "../../platform/base64.js";
import type { Message, MessagePart, ToolDefinition } from "../../wire/index.js";
import { elementsOf, field, fieldsOf, textOf, type Fields } from "../json-fields.js";
import { partsText, reasoningParts, textParts, toolCallPart } from "./message-parts.js";

/** Most bytes of an image, a document or a sound that are kept: about as many as a span keeps of a text. */
const MAX_BYTES = 768 * 1024;

/** Copies the system prompt and the messages of a Converse request. */
export function converseMessages(system: unknown, messages: unknown): Message[] {
  const instructions = converseParts(system);
  return [
    ...(instructions.length > 0 ? [{ role: "system", parts: instructions }] : []),
    ...elementsOf(messages).flatMap((message) => {
      const role = textOf(field(message, "role"));
      return role === undefined ? [] : [{ role, parts: converseParts(field(message, "content")) }];
    }),
  ];
}

/** The parts of a list of content blocks. The name of a block's only field is its type. */
export function converseParts(content: unknown): MessagePart[] {
  if (typeof content === "string") return textParts(content);
  return elementsOf(content).flatMap((block) => {
    const fields = fieldsOf(block);
    return fields === undefined ? [] : contentBlock(fields);
  });
}

function contentBlock(block: Fields): MessagePart[] {
  const text = field(block, "text");
  if (typeof text === "string") return textParts(text);
  const toolUse = field(block, "toolUse");
  const toolResult = field(block, "toolResult");
  const reasoningContent = field(block, "reasoningContent");
  const guardContent = field(block, "guardContent");
  const citationsContent = field(block, "citationsContent");
  if (toolUse !== undefined)
    return [toolCallPart(field(toolUse, "toolUseId"), field(toolUse, "name"), field(toolUse, "input"))];
  if (toolResult !== undefined) return [toolResultPart(toolResult)];
  if (reasoningContent !== undefined) {
    // The models Nova leave out the level `reasoningText` in the stream.
    return reasoningParts(
      field(field(reasoningContent, "reasoningText"), "text") ?? field(reasoningContent, "text"),
    );
  }
  if (guardContent !== undefined)
    return [
      ...textParts(field(field(guardContent, "text"), "text")),
      ...mediaParts(fieldsOf(guardContent) ?? {}),
    ];
  if (citationsContent !== undefined) return converseParts(field(citationsContent, "content"));
  return mediaParts(block);
}

/** A structured result is an object. Several results are a text. */
function toolResultPart(result: unknown): MessagePart {
  const content = elementsOf(field(result, "content"));
  const [first] = content;
  const json = content.length === 1 ? field(first, "json") : undefined;
  return {
    type: "tool_call_response",
    id: textOf(field(result, "toolUseId")) ?? "",
    response:
      json ??
      partsText(
        content.flatMap((part) => [...converseParts([part]), ...textParts(jsonText(field(part, "json")))]),
      ),
  };
}

function jsonText(value: unknown): string {
  try {
    return value === undefined ? "" : JSON.stringify(value);
  } catch {
    return "";
  }
}

function mediaParts(block: Fields): MessagePart[] {
  return ["image", "document", "video", "audio"].flatMap((modality): MessagePart[] => {
    const media = fieldsOf(field(block, modality));
    if (media === undefined) return [];
    const source = field(media, "source");
    const mimeType = `${modality === "document" ? "application" : modality}/${textOf(media["format"]) ?? "*"}`;
    const uri = textOf(field(field(source, "s3Location"), "uri"));
    if (uri !== undefined) return [{ type: "uri", modality, mime_type: mimeType, uri }];
    const text = textOf(field(source, "text"));
    if (text !== undefined) return textParts(text);
    return [{ type: "blob", modality, mime_type: mimeType, content: base64(field(source, "bytes")) }];
  });
}

/** Bytes are base64 on the wire, and an array of bytes in the client. */
function base64(bytes: unknown): string {
  if (typeof bytes === "string") return bytes;
  if (!(bytes instanceof Uint8Array)) return "";
  return toBase64(bytes.subarray(0, MAX_BYTES));
}

/** The definitions of the offered tools. */
export function converseTools(toolConfig: unknown): ToolDefinition[] {
  return elementsOf(field(toolConfig, "tools")).flatMap((tool) => {
    const spec = fieldsOf(field(tool, "toolSpec"));
    const name = textOf(field(spec, "name")) ?? textOf(field(field(tool, "systemTool"), "name"));
    if (name === undefined) return [];
    const description = textOf(field(spec, "description"));
    const parameters = field(field(spec, "inputSchema"), "json");
    return [
      {
        type: spec === undefined ? "system" : "function",
        name,
        ...(description !== undefined && { description }),
        ...(parameters !== undefined && parameters !== null && { parameters }),
      },
    ];
  });
}
