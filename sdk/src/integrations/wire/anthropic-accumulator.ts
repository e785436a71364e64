import { copyFields, field, indexOf, parseJsonOrText, textOf, type Fields } from "../json-fields.js";
import { appendLimited, keepFields, newTextRoom, type TextRoom } from "../model-client/append-limited.js";
import { IndexedParts } from "../model-client/indexed-parts.js";
import type { StreamAccumulator } from "../model-client/operation.js";

/** A content block that arrives in pieces. */
interface Block {
  /** As it was sent at its start. */
  start: Fields;
  /** The texts that followed, by the field of the block that they belong to. */
  readonly texts: Map<string, string>;
}

/** Deltas with a piece of text: the field of the delta, and the field of the block. */
const TEXT_DELTAS: Readonly<Record<string, readonly [piece: string, whole: string]>> = {
  text_delta: ["text", "text"],
  thinking_delta: ["thinking", "thinking"],
  input_json_delta: ["partial_json", "input"],
  compaction_delta: ["content", "content"],
};

/** Accumulates the events of a stream into a message. */
export function createAnthropicAccumulator(): StreamAccumulator {
  let message: Record<string, unknown> = {};
  let isComplete = false;
  const blocks = new IndexedParts<Block>(() => ({ start: {}, texts: new Map() }));
  const room = newTextRoom();

  return {
    add(event) {
      switch (field(event, "type")) {
        case "message_start":
          message = startOf(event);
          return false;
        case "content_block_start": {
          const start = keepFields(field(event, "content_block"), room);
          blocks.at(indexOf(field(event, "index"), blocks.size)).start = start;
          return textOf(field(start, "type"))?.endsWith("tool_use") ?? false;
        }
        case "content_block_delta":
          return addDelta(blocks.at(indexOf(field(event, "index"), 0)), field(event, "delta"), room);
        case "message_delta":
          message = {
            ...copyFields(message),
            ...definedFields(keepFields(field(event, "delta"), room)),
            usage: {
              ...copyFields(message["usage"]),
              ...definedFields(keepFields(field(event, "usage"), room)),
            },
          };
          isComplete ||= textOf(message["stop_reason"]) !== undefined;
          return false;
        case "message_stop":
          isComplete = true;
          return false;
        case "error":
          message["error"] = field(event, "error");
          return false;
        default:
          return false;
      }
    },
    response: () => (blocks.size === 0 ? message : { ...message, content: blocks.inOrder().map(toBlock) }),
    isComplete: () => isComplete,
  };
}

/** The first event counts output tokens before there is output; the count of a cut stream is not known. */
function startOf(event: unknown): Record<string, unknown> {
  const message = copyFields(field(event, "message"));
  return { ...message, usage: { ...copyFields(message["usage"]), output_tokens: undefined } };
}

/** The fields of a later event replace those of an earlier one, unless they are null. */
function definedFields(value: unknown): Fields {
  const fields = Object.entries(copyFields(value));
  return Object.fromEntries(fields.filter(([, sent]) => sent !== undefined && sent !== null));
}

/** Returns true if the delta has generated content. */
function addDelta({ texts }: Block, delta: unknown, room: TextRoom): boolean {
  const [piece, whole] = TEXT_DELTAS[textOf(field(delta, "type")) ?? ""] ?? [];
  const text = piece === undefined ? undefined : textOf(field(delta, piece));
  if (text === undefined || whole === undefined) return false;
  texts.set(whole, appendLimited(texts.get(whole) ?? "", text, room));
  return true;
}

function toBlock({ start, texts }: Block): unknown {
  const values = [...texts].map(([key, text]) => {
    const before = field(start, key);
    if (key === "input") return [key, parseJsonOrText(text)];
    return [key, typeof before === "string" ? before + text : text];
  });
  return { ...start, ...(Object.fromEntries(values) as Fields) };
}
