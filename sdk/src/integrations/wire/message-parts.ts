import type { MessagePart } from "../../wire/index.js";
import { parseJsonOrText, textOf } from "../json-fields.js";

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
    arguments: typeof args === "string" ? parseJsonOrText(args) : (args ?? null),
  };
}

/** The result of a tool. A structured result is JSON text. */
export function toolResultPart(id: unknown, result: unknown): MessagePart {
  const isJson = typeof result === "string" && /^\s*[[{]/.test(result);
  return {
    type: "tool_call_response",
    id: textOf(id) ?? "",
    response: isJson ? parseJsonOrText(result) : (result ?? null),
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
  return parts
    .map((part) => (part.type === "text" || part.type === "refusal" ? textOf(part["content" as never]) : ""))
    .filter((text) => text !== undefined && text !== "")
    .join("\n");
}
