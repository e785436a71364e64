import type { MessagePart } from "../../wire/index.js";
import { parseJsonOrText, textOf } from "../json-fields.js";
import { appendLimited } from "../model-client/append-limited.js";

/** A text part; none if the text is empty. */
export function textParts(text: unknown): MessagePart[] {
  return typeof text === "string" && text !== "" ? [{ type: "text", content: text }] : [];
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
    arguments: typeof args === "string" ? parseLimited(args) : (args ?? null),
  };
}

/** The result of a tool. A structured result is JSON text. */
export function toolResultPart(id: unknown, result: unknown): MessagePart {
  const isJson = typeof result === "string" && /^\s*[[{]/.test(result);
  return {
    type: "tool_call_response",
    id: textOf(id) ?? "",
    response: isJson ? parseLimited(result) : (result ?? null),
  };
}

/** A data URL becomes a blob with its content; any other source becomes a URI. */
export function mediaPart(modality: string, source: unknown): MessagePart {
  const uri = textOf(source) ?? "";
  const comma = uri.indexOf(",");
  const head = uri.slice(0, comma);
  if (comma >= 0 && head.startsWith("data:") && head.endsWith(";base64")) {
    const [mimeType = ""] = head.slice("data:".length).split(";", 1);
    return { type: "blob", modality, mime_type: mimeType, content: uri.slice(comma + 1) };
  }
  return { type: "uri", modality, mime_type: modality === "image" ? "image/*" : "*/*", uri };
}

/** The text and refusals in a list of parts, without reasoning, calls and media. */
export function partsText(parts: readonly MessagePart[]): string {
  return joinTexts(
    parts.map((part) => (part.type === "text" || part.type === "refusal" ? part["content" as never] : "")),
    "\n",
  );
}

/** Joins the texts that are not empty, until they are longer than a span keeps. */
export function joinTexts(texts: Iterable<unknown>, separator: string): string {
  let joined = "";
  for (const text of texts) {
    if (typeof text !== "string" || text === "") continue;
    joined = appendLimited(joined, joined === "" ? text : separator + text);
  }
  return joined;
}

/** Characters of JSON texts that are parsed at once. A span keeps fewer. */
const MAX_PARSED = 8_000_000;
let parsed = 0;

/**
 * The value of a JSON text, or the text itself. A call may have a thousand arguments of a megabyte: beyond a total, texts stay
 * texts until the app has finished what it does now.
 */
function parseLimited(text: string): unknown {
  if (parsed === 0) queueMicrotask(() => void (parsed = 0));
  parsed += text.length + 1;
  return parsed > MAX_PARSED ? text : parseJsonOrText(text);
}
