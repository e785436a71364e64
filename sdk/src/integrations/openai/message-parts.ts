import type { MessagePart, ToolDefinition } from "../../wire/index.js";
import { elementsOf, field, fieldsOf, parseJsonOrText, textOf, type Fields } from "../json-fields.js";

/**
 * The parts of a message's content, of chat completions and of the responses API: a text, or a list of typed parts. Parts
 * of unknown type are kept unchanged.
 */
export function contentParts(content: unknown): MessagePart[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", content }];
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

/** The text and refusals in a list of parts, without reasoning, calls and media. */
export function partsText(parts: readonly MessagePart[]): string {
  return parts
    .map((part) => (part.type === "text" || part.type === "refusal" ? textOf(part["content" as never]) : ""))
    .filter((text) => text !== undefined && text !== "")
    .join("\n");
}

/** A reasoning part; none if the text is empty. */
export function reasoningParts(text: unknown): MessagePart[] {
  return typeof text === "string" && text !== "" ? [{ type: "reasoning", content: text }] : [];
}

/** A refusal part; none if the text is empty. */
export function refusalParts(text: unknown): MessagePart[] {
  return typeof text === "string" && text !== "" ? [{ type: "refusal", content: text }] : [];
}

/** A tool call. Its arguments are JSON text, which may be invalid. */
export function toolCallPart(id: unknown, name: unknown, args: unknown): MessagePart {
  return {
    type: "tool_call",
    id: textOf(id) ?? "",
    name: textOf(name) ?? "",
    arguments: typeof args === "string" ? parseJsonOrText(args) : (args ?? null),
  };
}

/** The result of a tool. A structured result is JSON text. */
export function toolResultPart(id: unknown, result: unknown): MessagePart {
  const text = typeof result === "string" ? result : undefined;
  const isJson = text !== undefined && /^\s*[[{]/.test(text);
  return {
    type: "tool_call_response",
    id: textOf(id) ?? "",
    response: isJson
      ? parseJsonOrText(text)
      : (text ?? (Array.isArray(result) ? contentText(result) : result) ?? null),
  };
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

/** A data URL becomes a blob with its content; any other source becomes a URI. */
function mediaPart(modality: string, source: unknown): MessagePart {
  const uri = textOf(source) ?? "";
  const comma = uri.indexOf(",");
  const head = uri.slice(0, comma);
  if (comma >= 0 && head.startsWith("data:") && head.endsWith(";base64")) {
    const [mimeType = ""] = head.slice("data:".length).split(";", 1);
    return { type: "blob", modality, mime_type: mimeType, content: uri.slice(comma + 1) };
  }
  return { type: "uri", modality, mime_type: modality === "image" ? "image/*" : "*/*", uri };
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
