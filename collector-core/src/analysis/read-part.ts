import type { SpanPart } from "./message.js";
import { isLongText, isRecord, isTruncated, type LongText } from "./values.js";

type Fields = Readonly<Record<string, unknown>>;
/** Reads a part; undefined if it is not as its type says. */
type Reader = (part: Fields) => SpanPart | undefined;

/** One part of a message. Parts that are not understood are kept as JSON. */
export function readPart(part: unknown): SpanPart {
  if (isLongText(part)) return { kind: "text", text: part };
  return readItem(part);
}

/** A part that is not a text, such as an item of a list of tool calls. */
export function readItem(part: unknown): SpanPart {
  if (!isRecord(part)) return { kind: "json", value: part };
  const type = textField(part, "type").replaceAll("-", "_");
  const read = type === "" ? readUntyped(part) : BY_TYPE.get(type)?.(part);
  return read ?? { kind: "json", value: part };
}

const readText: Reader = (part) => {
  const text = [part["content"], part["text"], part["refusal"]].find(isLongText);
  return text === undefined ? undefined : { kind: "text", text };
};

const readReasoning: Reader = (part) => {
  const text = [part["content"], part["text"], part["thinking"], part["reasoning"]].find(isLongText);
  if (text !== undefined) return { kind: "reasoning", text };
  const { summary } = part;
  if (!Array.isArray(summary) || !summary.every(isSummary)) return undefined;
  return { kind: "reasoning", text: summary.map((item) => item.text).join("\n\n") };
};

function isSummary(item: unknown): item is { readonly text: string } {
  return isRecord(item) && typeof item["text"] === "string";
}

const readCall: Reader = (part) => {
  const called = isRecord(part["function"]) ? part["function"] : part;
  const name = [called["name"], part["toolName"]].find((value) => typeof value === "string" && value !== "");
  return {
    kind: "call",
    id: firstText(part, ["call_id", "id", "toolCallId", "toolUseId"]),
    name: typeof name === "string" ? name : "tool",
    arguments: firstOf(called, ["arguments", "input", "args"]),
  };
};

const readResult: Reader = (part) => {
  const response = firstOf(part, ["response", "result", "output", "content"]);
  return {
    kind: "result",
    id: firstText(part, ["id", "tool_use_id", "call_id", "toolCallId", "toolUseId", "tool_call_id"]),
    // The AI SDK wraps the value: {"type":"json","value":…}.
    response: isRecord(response) && "type" in response && "value" in response ? response["value"] : response,
  };
};

const readImage: Reader = (part) => {
  const image = part["image_url"] ?? part["image"] ?? part["source"] ?? part;
  const fields = isRecord(image) ? image : {};
  const url = [image, fields["url"], fields["uri"]].find(isLongText);
  const mimeType = firstText({ ...part, ...fields }, ["media_type", "mime_type", "mimeType", "mediaType"]);
  if (url !== undefined) return imageAt(url, mimeType);
  const content = [fields["data"], fields["content"]].find(isLongText);
  return content === undefined ? undefined : imageOf(mimeType || "image/png", content);
};

const BASE64_URL = /^data:([^;,]*);base64,/i;

/** An image at a URL. Data URLs are shown; others are links, because the page loads nothing from other hosts. */
function imageAt(url: LongText, mimeType: string): SpanPart | undefined {
  const start = (isTruncated(url) ? url.preview : url).slice(0, 200);
  const [head, type] = BASE64_URL.exec(start) ?? [];
  if (head === undefined)
    return isTruncated(url) || /^data:/i.test(url)
      ? undefined
      : { kind: "link", label: mimeType || "image", uri: url };
  const content = isTruncated(url)
    ? { ...url, bytes: url.bytes - head.length, preview: url.preview.slice(head.length) }
    : url.slice(head.length);
  return imageOf(type || "image/png", content);
}

function imageOf(mimeType: string, content: LongText): SpanPart | undefined {
  return mimeType.startsWith("image/") ? { kind: "image", mimeType, content } : undefined;
}

const BY_TYPE: ReadonlyMap<string, Reader> = new Map(
  Object.entries<Reader>({
    text: readText,
    input_text: readText,
    output_text: readText,
    refusal: readText,
    reasoning: readReasoning,
    thinking: readReasoning,
    tool_call: readCall,
    tool_use: readCall,
    server_tool_use: readCall,
    function_call: readCall,
    custom_tool_call: readCall,
    function: readCall,
    tool_call_response: readResult,
    tool_result: readResult,
    function_call_output: readResult,
    custom_tool_call_output: readResult,
    image_url: readImage,
    input_image: readImage,
    image: readImage,
    blob: (part) => {
      const { content } = part;
      return isLongText(content) ? imageOf(textField(part, "mime_type"), content) : undefined;
    },
    uri: (part) => {
      const { uri } = part;
      if (typeof uri !== "string") return undefined;
      return { kind: "link", label: textField(part, "modality") || textField(part, "mime_type"), uri };
    },
  }),
);

/** Parts of Google and Amazon Bedrock: the name of their field is their type. */
function readUntyped(part: Fields): SpanPart | undefined {
  const call = part["functionCall"] ?? part["toolUse"];
  if (isRecord(call)) return readCall(call);
  const result = part["functionResponse"] ?? part["toolResult"];
  if (isRecord(result)) return readResult(result);
  const data = part["inlineData"];
  if (isRecord(data) && isLongText(data["data"])) return imageOf(textField(data, "mimeType"), data["data"]);
  if (isRecord(part["function"])) return readCall(part);
  return part["thought"] === true ? readReasoning(part) : readText(part);
}

function firstOf(fields: Fields, keys: readonly string[]): unknown {
  return keys.map((key) => fields[key]).find((value) => value !== undefined && value !== null);
}

function firstText(fields: Fields, keys: readonly string[]): string {
  const value = keys.map((key) => fields[key]).find((field) => typeof field === "string" && field !== "");
  return typeof value === "string" ? value : "";
}

function textField(fields: Fields, key: string): string {
  const value = fields[key];
  return typeof value === "string" ? value : "";
}
