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
  switch (part["type"]) {
    case "text":
    case "input_text":
    case "output_text":
      return contentParts(part["text"]);
    case "refusal":
      return refusalParts(part["refusal"]);
    case "reasoning_text":
    case "summary_text":
      return reasoningParts(part["text"]);
    case "thinking":
      return reasoningParts(contentText(part["thinking"]));
    case "image_url":
    case "input_image":
      return [mediaPart("image", field(part["image_url"], "url") ?? part["image_url"] ?? part["file_id"])];
    case "input_audio":
      return [audioPart(fieldsOf(part["input_audio"]) ?? part)];
    case "output_audio":
      return audioParts(part);
    case "file":
      return [filePart(fieldsOf(part["file"]) ?? part)];
    case "input_file":
      return [filePart(part)];
    default:
      return typeof part["type"] === "string" ? [{ ...part, type: part["type"] }] : [];
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
  const data = textOf(fields["data"]);
  const sound: MessagePart[] =
    data === undefined ? [] : [{ type: "blob", modality: "audio", mime_type: "audio/*", content: data }];
  return [...contentParts(fields["transcript"]), ...sound];
}

function audioPart(audio: Fields): MessagePart {
  const format = textOf(audio["format"]) ?? "*";
  return {
    type: "blob",
    modality: "audio",
    mime_type: `audio/${format}`,
    content: textOf(audio["data"]) ?? "",
  };
}

function filePart(file: Fields): MessagePart {
  const name = textOf(file["filename"]);
  const part = mediaPart("file", file["file_data"] ?? file["file_url"] ?? file["file_id"]);
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
    const type = textOf(fields["type"]) ?? "function";
    if (type !== "function" && type !== "custom") {
      return [{ type, name: textOf(fields["server_label"]) ?? textOf(fields["name"]) ?? type }];
    }
    const definition = fieldsOf(fields[type]) ?? fields;
    const name = textOf(definition["name"]);
    if (name === undefined) return [];
    const description = textOf(definition["description"]);
    const parameters = definition["parameters"] ?? definition["format"];
    return [
      {
        type,
        name,
        ...(description !== undefined && { description }),
        ...(parameters !== undefined && parameters !== null && { parameters }),
      },
    ];
  });
}
