import { canonicalData, canonicalJson } from "../canonical-json.js";
import type { SpanPart } from "../message.js";
import type { MessageUnit } from "../transcript/message-units.js";
import { isTruncated, type LongText } from "../values.js";

const known = new WeakMap<MessageUnit, string>();

/**
 * The content of a piece of a message as a text that is equal for equal contents only. The key of the piece itself is equal for
 * a long text and its preview.
 */
export function unitKey(unit: MessageUnit): string {
  let key = known.get(unit);
  if (key === undefined) known.set(unit, (key = `${unit.role} ${unit.parts.map(partKey).join("")}`));
  return key;
}

function partKey(part: SpanPart): string {
  switch (part.kind) {
    case "text":
      return plain(part.text);
    case "reasoning":
      return `reasoning ${plain(part.text)}`;
    // Ids are left out: each run has its own.
    case "call":
      return `call ${part.name} ${canonicalData(part.arguments ?? {})}`;
    case "result":
      return `result ${canonicalData(part.response)}`;
    case "image":
      return `image ${part.mimeType} ${plain(part.content)}`;
    case "link":
      return `link ${part.uri}`;
    case "json":
      return `json ${canonicalJson(part.value)}`;
  }
}

function plain(text: LongText): string {
  if (isTruncated(text)) return canonicalJson(text);
  return text.includes("\r") ? text.replaceAll("\r\n", "\n") : text;
}
