import { elementsOf, field, fieldsOf, indexOf, textOf, type Fields } from "../json-fields.js";
import { appendLimited, keepFields, newTextRoom } from "../model-client/append-limited.js";
import { IndexedParts, MAX_PARTS } from "../model-client/indexed-parts.js";
import type { StreamAccumulator } from "../model-client/operation.js";

/** An output item that arrives in pieces. */
interface OutputItem {
  /** As it was added, or as it is once it is done. */
  item: Fields;
  /** The texts that arrived, by index and kind of the part. */
  readonly texts: Map<string, string>;
  isDone: boolean;
}

/** Events that carry a piece of text: the kind of the part, and the field with the index of the part. */
const TEXT_DELTAS: Readonly<Record<string, { readonly kind: string; readonly index?: string }>> = {
  "response.output_text.delta": { kind: "output_text", index: "content_index" },
  "response.refusal.delta": { kind: "refusal", index: "content_index" },
  "response.reasoning_text.delta": { kind: "reasoning_text", index: "content_index" },
  "response.reasoning_summary_text.delta": { kind: "summary_text", index: "summary_index" },
  "response.function_call_arguments.delta": { kind: "arguments" },
  "response.mcp_call_arguments.delta": { kind: "arguments" },
  "response.custom_tool_call_input.delta": { kind: "input" },
  "response.code_interpreter_call_code.delta": { kind: "code" },
};

/** Other events with generated content. */
const OTHER_GENERATED = new Set([
  "response.audio.delta",
  "response.audio.transcript.delta",
  "response.image_generation_call.partial_image",
]);

const END_EVENTS = new Set([
  "response.completed",
  "response.failed",
  "response.incomplete",
  "response.cancelled",
]);

/**
 * Accumulates the events of the responses API into a response. The last event has the complete response; the earlier events
 * are used if the stream ends before it.
 */
export function createResponsesAccumulator(): StreamAccumulator {
  let response: Fields = {};
  let isComplete = false;
  const items = new IndexedParts<OutputItem>(() => ({ item: {}, texts: new Map(), isDone: false }));
  const room = newTextRoom();

  return {
    add(event) {
      const fields = fieldsOf(event);
      const type = textOf(field(fields, "type"));
      if (fields === undefined || type === undefined) return false;
      response = fieldsOf(field(fields, "response")) ?? response;
      if (END_EVENTS.has(type)) isComplete = true;
      const index = indexOf(field(fields, "output_index"), 0);
      if (type === "response.output_item.added") {
        const item = fieldsOf(field(fields, "item")) ?? {};
        items.at(index).item = keepFields(item, room);
        return isToolCall(item);
      }
      if (type === "response.output_item.done") {
        Object.assign(items.at(index), { item: keepFields(field(fields, "item"), room), isDone: true });
        return false;
      }
      const delta = TEXT_DELTAS[type];
      if (delta === undefined) return OTHER_GENERATED.has(type);
      const text = textOf(field(fields, "delta"));
      if (text === undefined) return false;
      const partIndex = delta.index === undefined ? 0 : indexOf(field(fields, delta.index), 0);
      const { texts } = items.at(index);
      const key = `${partIndex} ${delta.kind}`;
      if (texts.size < MAX_PARTS || texts.has(key))
        texts.set(key, appendLimited(texts.get(key) ?? "", text, room));
      return true;
    },
    response() {
      const hasOutput = elementsOf(field(response, "output")).length > 0;
      return hasOutput || items.size === 0 ? response : { ...response, output: items.inOrder().map(toItem) };
    },
    isComplete: () => isComplete,
  };
}

function isToolCall(item: Fields): boolean {
  return textOf(field(item, "type"))?.endsWith("_call") ?? false;
}

/** The item with the texts that arrived, if it is not done. */
function toItem({ item, texts, isDone }: OutputItem): unknown {
  if (isDone || texts.size === 0) return item;
  const content: unknown[] = [];
  const summary: unknown[] = [];
  const otherTexts: Record<string, unknown> = {};
  for (const [key, text] of texts) {
    const kind = key.slice(key.indexOf(" ") + 1);
    if (kind === "summary_text") summary.push({ type: kind, text });
    else if (kind === "refusal") content.push({ type: kind, refusal: text });
    else if (kind === "output_text" || kind === "reasoning_text") content.push({ type: kind, text });
    else otherTexts[kind] = text;
  }
  return {
    ...item,
    ...(content.length > 0 && { content }),
    ...(summary.length > 0 && { summary }),
    ...otherTexts,
  };
}
