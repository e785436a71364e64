import { elementsOf, fieldsOf, indexOf, textOf, type Fields } from "../json-fields.js";
import { appended } from "./folded-text.js";
import type { StreamFold } from "./operation.js";

/** An output item while its pieces arrive. */
interface FoldedItem {
  /** As it was added, and in the end as it is done. */
  item: Fields;
  /** Its texts by the kind of piece and the index of the part. */
  readonly texts: Map<string, string>;
  isDone: boolean;
}

/** Events that bring a piece of text, with the part that it belongs to. */
const PIECES: Readonly<Record<string, { readonly kind: string; readonly index?: string }>> = {
  "response.output_text.delta": { kind: "output_text", index: "content_index" },
  "response.refusal.delta": { kind: "refusal", index: "content_index" },
  "response.reasoning_text.delta": { kind: "reasoning_text", index: "content_index" },
  "response.reasoning_summary_text.delta": { kind: "summary_text", index: "summary_index" },
  "response.function_call_arguments.delta": { kind: "arguments" },
  "response.mcp_call_arguments.delta": { kind: "arguments" },
  "response.custom_tool_call_input.delta": { kind: "input" },
  "response.code_interpreter_call_code.delta": { kind: "code" },
};

/** Events with something generated in them beside the pieces above. */
const GENERATED = new Set([
  "response.audio.delta",
  "response.audio.transcript.delta",
  "response.image_generation_call.partial_image",
]);

const ENDS = new Set(["response.completed", "response.failed", "response.incomplete", "response.cancelled"]);

/**
 * Folds the events of the responses API into a response. Its last event carries the whole; what came before is kept
 * for the stream that does not get there.
 */
export function startResponsesFold(): StreamFold {
  let response: Fields = {};
  let isComplete = false;
  const items = new Map<number, FoldedItem>();

  const itemAt = (event: Fields): FoldedItem => {
    const index = indexOf(event["output_index"], 0);
    const existing = items.get(index);
    if (existing !== undefined) return existing;
    const created: FoldedItem = { item: {}, texts: new Map(), isDone: false };
    items.set(index, created);
    return created;
  };

  return {
    add(event) {
      const fields = fieldsOf(event);
      const type = textOf(fields?.["type"]);
      if (fields === undefined || type === undefined) return false;
      response = fieldsOf(fields["response"]) ?? response;
      if (ENDS.has(type)) isComplete = true;
      if (type === "response.output_item.added") {
        const folded = itemAt(fields);
        folded.item = fieldsOf(fields["item"]) ?? {};
        return isToolCall(folded.item);
      }
      if (type === "response.output_item.done") {
        Object.assign(itemAt(fields), { item: fieldsOf(fields["item"]) ?? {}, isDone: true });
        return false;
      }
      const piece = PIECES[type];
      if (piece === undefined) return GENERATED.has(type);
      const text = textOf(fields["delta"]);
      if (text === undefined) return false;
      const index = piece.index === undefined ? 0 : indexOf(fields[piece.index], 0);
      const { texts } = itemAt(fields);
      const key = `${index} ${piece.kind}`;
      texts.set(key, appended(texts.get(key) ?? "", text));
      return true;
    },
    response() {
      const hasOutput = elementsOf(response["output"]).length > 0;
      if (hasOutput || items.size === 0) return response;
      const inOrder = [...items].sort(([left], [right]) => left - right);
      return { ...response, output: inOrder.map(([, folded]) => toItem(folded)) };
    },
    isComplete: () => isComplete,
  };
}

function isToolCall(item: Fields): boolean {
  return textOf(item["type"])?.endsWith("_call") ?? false;
}

/** An item that was cut off, with the texts that had come by then. */
function toItem({ item, texts, isDone }: FoldedItem): unknown {
  if (isDone || texts.size === 0) return item;
  const content: unknown[] = [];
  const summary: unknown[] = [];
  const whole: Record<string, unknown> = {};
  for (const [key, text] of texts) {
    const kind = key.slice(key.indexOf(" ") + 1);
    if (kind === "summary_text") summary.push({ type: kind, text });
    else if (kind === "refusal") content.push({ type: kind, refusal: text });
    else if (kind === "output_text" || kind === "reasoning_text") content.push({ type: kind, text });
    else whole[kind] = text;
  }
  return {
    ...item,
    ...(content.length > 0 && { content }),
    ...(summary.length > 0 && { summary }),
    ...whole,
  };
}
