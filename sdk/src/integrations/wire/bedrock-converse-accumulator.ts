import { field, fieldsOf, indexOf, parseJsonOrText, textOf, type Fields } from "../json-fields.js";
import { appendLimited, keepFields, newTextRoom, type TextRoom } from "../model-client/append-limited.js";
import { IndexedParts } from "../model-client/indexed-parts.js";
import type { StreamAccumulator } from "../model-client/operation.js";

/** A content block that arrives in pieces. */
interface Block {
  text: string;
  reasoning: string;
  tool: Fields | undefined;
  /** The arguments of a tool call, as JSON text. */
  input: string;
}

/** Accumulates the events of `ConverseStream` into a response of `Converse`. The name of an event's only field is its type. */
export function createConverseAccumulator(): StreamAccumulator {
  const blocks = new IndexedParts<Block>(() => ({ text: "", reasoning: "", tool: undefined, input: "" }));
  const room = newTextRoom();
  const errors: unknown[] = [];
  let role: unknown;
  let stopReason: string | undefined;
  let metadata: Fields = {};

  return {
    add(event) {
      const contentBlockStart = field(event, "contentBlockStart");
      const contentBlockDelta = field(event, "contentBlockDelta");
      role ??= field(field(event, "messageStart"), "role");
      stopReason ??= textOf(field(field(event, "messageStop"), "stopReason"));
      metadata = fieldsOf(field(event, "metadata")) ?? metadata;
      const error = errorIn(event);
      // The first one ends the stream.
      if (error !== undefined && errors.length === 0) errors.push(error);
      const start = contentBlockStart ?? contentBlockDelta;
      if (start === undefined) return false;
      const block = blocks.at(indexOf(field(start, "contentBlockIndex"), 0));
      const tool = fieldsOf(field(field(contentBlockStart, "start"), "toolUse"));
      if (tool !== undefined) block.tool ??= keepFields(tool, room);
      return addDelta(block, field(contentBlockDelta, "delta"), room) || tool !== undefined;
    },
    response: () => ({
      ...metadata,
      output: { message: { role, content: blocks.inOrder().flatMap(toContent) } },
      stopReason,
      errors,
    }),
    isComplete: () => stopReason !== undefined,
  };
}

/** Returns true if the delta has generated content. */
function addDelta(block: Block, delta: unknown, room: TextRoom): boolean {
  const text = textOf(field(delta, "text")) ?? "";
  const reasoningContent = field(delta, "reasoningContent");
  const reasoning =
    textOf(field(reasoningContent, "text")) ??
    textOf(field(field(reasoningContent, "reasoningText"), "text")) ??
    "";
  const input = textOf(field(field(delta, "toolUse"), "input")) ?? "";
  block.text = appendLimited(block.text, text, room);
  block.reasoning = appendLimited(block.reasoning, reasoning, room);
  block.input = appendLimited(block.input, input, room);
  return text !== "" || reasoning !== "" || input !== "";
}

function toContent({ text, reasoning, tool, input }: Block): unknown[] {
  return [
    ...(reasoning === "" ? [] : [{ reasoningContent: { reasoningText: { text: reasoning } } }]),
    ...(text === "" ? [] : [{ text }]),
    ...(tool === undefined
      ? []
      : [{ toolUse: { ...tool, input: input === "" ? {} : parseJsonOrText(input) } }]),
  ];
}

/** An event such as `throttlingException` ends the stream. Amazon's client throws it; other clients pass it on. */
function errorIn(event: unknown): Fields | undefined {
  for (const type of Object.keys(fieldsOf(event) ?? {})) {
    const error = type.endsWith("Exception") ? field(event, type) : undefined;
    if (fieldsOf(error) !== undefined) return { type, message: field(error, "message") };
  }
  return undefined;
}
