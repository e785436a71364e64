import type { MessagePart } from "@obspan/sdk/wire";
import { isRecord } from "../../span/span-facts.js";
import type { JsonTexts } from "../json-texts.js";
import { asText } from "./attribute-set.js";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the parts of message content of any library: OpenTelemetry's own parts, OpenAI's (chat and Responses),
 * Anthropic's, Google's, Bedrock's, the AI SDK's, LangChain's. Unknown parts are kept unchanged.
 */
export function toParts(content: unknown, texts: JsonTexts): MessagePart[] {
  const value = texts.parsed(content);
  if (value === undefined || value === null || value === "") return [];
  if (typeof value === "string") return [textPart(value)];
  if (Array.isArray(value)) return (value as unknown[]).flatMap((item) => toPart(item, texts));
  if (isRecord(value)) return toPart(value, texts);
  return [textPart(JSON.stringify(value))];
}

export function textPart(content: string): MessagePart {
  return { type: "text", content };
}

function toPart(item: unknown, texts: JsonTexts): MessagePart[] {
  if (typeof item === "string") return item === "" ? [] : [textPart(item)];
  if (!isRecord(item)) return [textPart(JSON.stringify(item))];
  const type = asText(item["type"]);
  const named = type === undefined ? undefined : NAMED.get(type.toLowerCase().replaceAll("-", "_"));
  return named?.(item) ?? byField(item, texts) ?? [{ ...item, type: type ?? "unknown" }];
}

/** Reads a part of a known type; undefined if the part is not as expected. */
type ReadPart = (part: Fields) => MessagePart[] | undefined;

/** Readers by the `type` of a part. */
const NAMED: ReadonlyMap<string, ReadPart> = new Map(
  Object.entries<ReadPart>({
    text: (part) => textOf(part, "text"),
    input_text: (part) => textOf(part, "text"),
    output_text: (part) => textOf(part, "text"),
    refusal: (part) => textOf(part, "text"),
    reasoning: (part) => textOf(part, "reasoning") ?? summaryOf(part),
    thinking: (part) => textOf(part, "reasoning"),
    reasoning_content: (part) => textOf(part, "reasoning"),
    tool_call: toolCall,
    tool_use: toolCall,
    tooluse: toolCall,
    server_tool_use: toolCall,
    function_call: toolCall,
    function: toolCall,
    custom_tool_call: toolCall,
    tool_call_response: toolResponse,
    tool_result: toolResponse,
    toolresult: toolResponse,
    function_call_output: toolResponse,
    custom_tool_call_output: toolResponse,
    image: media,
    image_url: media,
    input_image: media,
    file: media,
    input_file: media,
    document: media,
    audio: media,
    input_audio: media,
    video: media,
  }),
);

/** Reads parts whose type is a field name, as in Google, Bedrock and Genkit. */
function byField(part: Fields, texts: JsonTexts): MessagePart[] | undefined {
  const call = CALL_FIELDS.map((field) => part[field]).find(isRecord);
  if (call !== undefined) return toolCall({ ...part, ...call });
  const response = RESPONSE_FIELDS.map((field) => part[field]).find(isRecord);
  if (response !== undefined) return toolResponse(response);
  const data = MEDIA_FIELDS.map((field) => part[field]).find(isRecord);
  if (data !== undefined) return media(data);
  const attached = ATTACHED.find((field) => isRecord(part[field]));
  if (attached !== undefined) return attachment(attached, part[attached]);
  const reasoning = part["reasoningContent"];
  if (isRecord(reasoning)) return toParts(reasoning["reasoningText"], texts).map(asReasoning);
  if (part["type"] !== undefined) return undefined;
  const isReasoning = part["thought"] === true || typeof part["reasoning"] === "string";
  return textOf(part, isReasoning ? "reasoning" : "text");
}

const CALL_FIELDS = ["functionCall", "function_call", "toolUse", "toolRequest", "function"];
const RESPONSE_FIELDS = ["functionResponse", "function_response", "toolResult", "toolResponse"];
const MEDIA_FIELDS = ["inlineData", "inline_data", "fileData", "file_data", "media"];
/** In Bedrock: `{"image":{"format":"png","source":{"bytes":…}}}`. */
const ATTACHED = ["image", "document", "video"];

function attachment(type: string, value: unknown): MessagePart[] | undefined {
  if (!isRecord(value) || !isRecord(value["source"])) return undefined;
  const { source } = value;
  const place = isRecord(source["s3Location"]) ? source["s3Location"] : {};
  const format = asText(value["format"]) ?? "";
  return media({
    type,
    mime_type: type === "document" ? format : `${type}/${format}`,
    data: source["bytes"],
    uri: place["uri"],
  });
}

function asReasoning(part: MessagePart): MessagePart {
  return part.type === "text" ? { ...part, type: "reasoning" } : part;
}

/** @returns undefined if there is no text. */
function textOf(part: Fields, type: "text" | "reasoning"): MessagePart[] | undefined {
  const content = [part["content"], part["text"], part["thinking"], part["refusal"], part["reasoning"]].find(
    (value) => typeof value === "string",
  );
  return content === undefined ? undefined : [{ type, content }];
}

/** Reads OpenAI's reasoning: a list of summaries, often empty. */
function summaryOf(part: Fields): MessagePart[] | undefined {
  const { summary } = part;
  if (!Array.isArray(summary)) return undefined;
  return (summary as unknown[]).flatMap((item) => (isRecord(item) ? (textOf(item, "reasoning") ?? []) : []));
}

/** Reads a requested tool call. The arguments are kept as sent: JSON text or a value. */
export function toolCall(part: Fields): MessagePart[] | undefined {
  const called = isRecord(part["function"]) ? part["function"] : part;
  const name = asText(called["name"]) ?? asText(part["toolName"]) ?? asText(part["tool_name"]);
  if (name === undefined) return undefined;
  const args = first(called, ["arguments", "input", "args", "parameters"]) ?? part["input"] ?? {};
  return [{ type: "tool_call", id: idOf(part), name, arguments: withoutQuotes(args) }];
}

/** Some libraries encode the JSON text of the arguments as JSON again. */
function withoutQuotes(args: unknown): unknown {
  if (typeof args !== "string" || !args.startsWith('"')) return args;
  try {
    return JSON.parse(args) as unknown;
  } catch {
    return args;
  }
}

/** Reads a tool response. */
export function toolResponse(part: Fields): MessagePart[] | undefined {
  const response = first(part, ["response", "result", "output", "content"]);
  if (response === undefined) return undefined;
  // The AI SDK wraps the value: {"type":"json","value":…}.
  const plain =
    isRecord(response) && "value" in response && "type" in response ? response["value"] : response;
  return [{ type: "tool_call_response", id: idOf(part), response: plain }];
}

function idOf(part: Fields): string {
  const ids = ["tool_call_id", "toolCallId", "tool_use_id", "toolUseId", "call_id", "ref", "id", "name"];
  return ids.map((key) => asText(part[key])).find((id) => id !== undefined) ?? "";
}

function first(fields: Fields, keys: readonly string[]): unknown {
  return keys.map((key) => fields[key]).find((value) => value !== undefined && value !== null);
}

/** Reads an image, file, audio or video: by URI if it has one, else by its data. */
function media(part: Fields): MessagePart[] | undefined {
  const source = isRecord(part["source"]) ? part["source"] : part;
  const image = part["image_url"] ?? part["image"] ?? part["input_audio"] ?? part["file"];
  const inner = isRecord(image) ? image : source;
  const mimeType =
    [
      inner["mime_type"],
      inner["mimeType"],
      inner["media_type"],
      inner["mediaType"],
      inner["contentType"],
      part["mediaType"],
    ]
      .map(asText)
      .find((type) => type !== undefined) ?? "";
  const modality = modalityOf(asText(part["type"]) ?? "", mimeType);
  const address = [inner["url"], inner["uri"], inner["fileUri"], inner["file_uri"], image]
    .map(asText)
    .find((uri) => uri !== undefined && /^(?:https?|gs|s3|file):/i.test(uri));
  if (address !== undefined) return [{ type: "uri", modality, mime_type: mimeType, uri: address }];
  const data = [inner["data"], inner["content"], inner["file_data"], inner["url"], image]
    .map(asText)
    .find((text) => text !== undefined);
  return data === undefined ? undefined : [{ type: "blob", modality, mime_type: mimeType, content: data }];
}

function modalityOf(type: string, mimeType: string): string {
  const name = `${mimeType} ${type}`.toLowerCase();
  return ["image", "audio", "video"].find((modality) => name.includes(modality)) ?? "document";
}
