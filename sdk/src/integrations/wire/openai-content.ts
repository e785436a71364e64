import type { MessagePart, ToolDefinition } from "../../wire/index.js";
import { elementsOf, field, fieldsOf, textOf, type Fields } from "../json-fields.js";
import {
  mediaPart,
  partsText,
  reasoningParts,
  refusalParts,
  textParts,
  toolResultPart,
} from "./message-parts.js";
import { toolDefinition } from "./tool-definition.js";

/**
 * The parts of a message's content, of chat completions and of the responses API: a text, or a list of typed parts. Parts
 * of unknown type are kept unchanged.
 */
export function contentParts(content: unknown): MessagePart[] {
  if (typeof content === "string") return textParts(content);
  return elementsOf(content).flatMap((part) => {
    if (typeof part === "string") return contentParts(part);
    const fields = fieldsOf(part);
    return fields === undefined ? [] : contentPart(fields);
  });
}

function contentPart(part: Fields): MessagePart[] {
  switch (field(part, "type")) {
    case "text":
    case "input_text":
    case "output_text":
      return contentParts(field(part, "text"));
    case "refusal":
      return refusalParts(field(part, "refusal"));
    case "reasoning_text":
    case "summary_text":
      return reasoningParts(field(part, "text"));
    case "thinking":
      return reasoningParts(contentText(field(part, "thinking")));
    case "image_url":
    case "input_image":
      return [
        mediaPart(
          "image",
          field(field(part, "image_url"), "url") ?? field(part, "image_url") ?? field(part, "file_id"),
        ),
      ];
    case "input_audio":
      return [audioPart(fieldsOf(field(part, "input_audio")) ?? part)];
    case "output_audio":
      return audioParts(part);
    case "file":
      return [filePart(fieldsOf(field(part, "file")) ?? part)];
    case "input_file":
      return [filePart(part)];
    default:
      // The span copies the part.
      return typeof field(part, "type") === "string" ? [part as MessagePart] : [];
  }
}

/** The text parts of a content, joined. */
export function contentText(content: unknown): string {
  return partsText(contentParts(content));
}

/** The result of a tool: a text, or a list of typed parts. */
export function resultPart(id: unknown, result: unknown): MessagePart {
  return toolResultPart(id, Array.isArray(result) ? contentText(result) : result);
}

/** The audio of a response: the transcript, then the sound. */
export function audioParts(audio: unknown): MessagePart[] {
  const fields = fieldsOf(audio);
  if (fields === undefined) return [];
  const data = textOf(field(fields, "data"));
  const sound: MessagePart[] =
    data === undefined ? [] : [{ type: "blob", modality: "audio", mime_type: "audio/*", content: data }];
  return [...contentParts(field(fields, "transcript")), ...sound];
}

function audioPart(audio: Fields): MessagePart {
  const format = textOf(field(audio, "format")) ?? "*";
  return {
    type: "blob",
    modality: "audio",
    mime_type: `audio/${format}`,
    content: textOf(field(audio, "data")) ?? "",
  };
}

function filePart(file: Fields): MessagePart {
  const name = textOf(field(file, "filename"));
  const part = mediaPart(
    "file",
    field(file, "file_data") ?? field(file, "file_url") ?? field(file, "file_id"),
  );
  return name === undefined ? part : { ...part, file_name: name };
}

/**
 * The definitions of the offered tools: functions with their parameters, and the provider's own tools by their type. Other
 * fields of those are not read: the headers of an MCP server contain credentials.
 */
export function toolDefinitions(tools: unknown): ToolDefinition[] {
  return elementsOf(tools).flatMap((tool) => {
    const fields = fieldsOf(tool);
    if (fields === undefined) return [];
    const type = textOf(field(fields, "type")) ?? "function";
    if (type !== "function" && type !== "custom") {
      return [{ type, name: textOf(field(fields, "server_label")) ?? textOf(field(fields, "name")) ?? type }];
    }
    const definition = fieldsOf(field(fields, type)) ?? fields;
    const parameters = field(definition, "parameters") ?? field(definition, "format");
    return toolDefinition(type, field(definition, "name"), field(definition, "description"), parameters);
  });
}
