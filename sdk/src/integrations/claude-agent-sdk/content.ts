import type { Message, MessagePart } from "../../wire/index.js";
import { elementsOf, field, fieldsOf, textOf } from "../json-fields.js";
import { mediaPart, reasoningParts, textParts, toolCallPart, toolResultPart } from "../wire/message-parts.js";

/** The content of a message of Anthropic's API as parts. */
export function partsOf(content: unknown): MessagePart[] {
  return typeof content === "string" ? textParts(content) : elementsOf(content).flatMap(partOf);
}

function partOf(block: unknown): MessagePart[] {
  const type = textOf(field(block, "type"));
  switch (type) {
    case undefined:
      return [];
    case "text":
      return textParts(field(block, "text"));
    case "thinking":
      return reasoningParts(field(block, "thinking"));
    case "tool_use":
      return [toolCallPart(field(block, "id"), field(block, "name"), field(block, "input"))];
    case "tool_result":
      return [toolResultPart(field(block, "tool_use_id"), resultText(field(block, "content")))];
    case "image": {
      const source = field(block, "source");
      const data = textOf(field(source, "data"));
      const mimeType = textOf(field(source, "media_type")) ?? "image/*";
      return data === undefined
        ? [mediaPart("image", field(source, "url"))]
        : [{ type: "blob", modality: "image", mime_type: mimeType, content: data }];
    }
    default:
      return [{ ...fieldsOf(block), type }];
  }
}

/** The text of a tool's result; the blocks themselves if one of them is no text. */
export function resultText(content: unknown): unknown {
  const blocks = elementsOf(content);
  const texts = blocks.map((block) => textOf(field(block, "text")));
  return blocks.length > 0 && !texts.includes(undefined) ? texts.join("\n") : content;
}

/** The message that the app or a tool sends to the model. */
export function userMessage(content: unknown): Message {
  const parts = partsOf(content);
  return { role: parts.some(({ type }) => type === "tool_call_response") ? "tool" : "user", parts };
}
