import type { Message } from "@obspan/sdk/wire";
import { isRecord } from "../../span/span-facts.js";
import type { JsonTexts } from "../json-texts.js";
import { asList, asText, type AttributeSet } from "./attribute-set.js";
import type { Content } from "./content.js";
import { itemsOf, isNestedRecord, readIndexed, type NestedRecord } from "./indexed-attributes.js";
import { keyGroup, listGroup, type KeyGroup } from "./key-groups.js";
import { textPart, toolCall } from "./message-parts.js";
import { toMessage, toMessages } from "./messages.js";

const STRUCTURED_INPUT = keyGroup(["gen_ai.input.messages", "ai.prompt.messages", "ai.prompt"]);
const STRUCTURED_OUTPUT = keyGroup(["gen_ai.output.messages"]);
const INPUT_LISTS = {
  "gen_ai.prompt": listGroup("gen_ai.prompt"),
  "llm.input_messages": listGroup("llm.input_messages"),
};
const OUTPUT_LISTS = {
  "gen_ai.completion": listGroup("gen_ai.completion"),
  "llm.output_messages": listGroup("llm.output_messages"),
};

/** Takes the input of a span from attributes that are always messages. */
export function takeStructuredInput(attributes: AttributeSet): Content | undefined {
  const hasMessages = attributes.mayHave(STRUCTURED_INPUT);
  return (
    (hasMessages ? takeMessages(attributes, "gen_ai.input.messages", "user") : undefined) ??
    takeIndexed(attributes, INPUT_LISTS, "gen_ai.prompt", (item) =>
      toMessage(plain(item), "user", attributes.texts),
    ) ??
    takeIndexed(
      attributes,
      INPUT_LISTS,
      "llm.input_messages",
      openInferenceMessage("user", attributes.texts),
    ) ??
    (hasMessages
      ? (takeMessages(attributes, "ai.prompt.messages", "user") ??
        takeMessages(attributes, "ai.prompt", "user"))
      : undefined)
  );
}

/** Takes the output of a span from attributes that are always messages. */
export function takeStructuredOutput(attributes: AttributeSet): Content | undefined {
  return (
    (attributes.mayHave(STRUCTURED_OUTPUT)
      ? takeMessages(attributes, "gen_ai.output.messages", "assistant")
      : undefined) ??
    takeIndexed(attributes, OUTPUT_LISTS, "gen_ai.completion", (item) =>
      toMessage(plain(item), "assistant", attributes.texts),
    ) ??
    takeIndexed(
      attributes,
      OUTPUT_LISTS,
      "llm.output_messages",
      openInferenceMessage("assistant", attributes.texts),
    ) ??
    (attributes.mayHave(AI_SDK_RESPONSE) ? takeAiSdkResponse(attributes) : undefined)
  );
}

function takeMessages(attributes: AttributeSet, key: string, role: string): Content | undefined {
  const messages = toMessages(attributes.get(key), role, attributes.texts);
  if (messages === undefined) return undefined;
  attributes.delete(key);
  return { messages };
}

function takeIndexed<Prefix extends string>(
  attributes: AttributeSet,
  lists: Readonly<Record<Prefix, KeyGroup>>,
  prefix: Prefix,
  read: (item: NestedRecord) => Message | undefined,
): Content | undefined {
  const indexed = attributes.mayHave(lists[prefix]) ? readIndexed(attributes, prefix) : undefined;
  if (indexed === undefined) return undefined;
  const messages = indexed.items.flatMap((item) => read(item) ?? []);
  if (messages.length === 0) return undefined;
  if (messages.length === indexed.items.length) indexed.take(MESSAGE_FIELDS);
  return { messages };
}

/** Mapped fields of an item. Others, such as a search or a filter result, are kept unchanged. */
const MESSAGE_FIELDS: ReadonlySet<string> = new Set([
  "message",
  "role",
  "content",
  "parts",
  "text",
  "type",
  "tool_calls",
  "tool_call_id",
  "function_call",
  "finish_reason",
  "stop_reason",
  "refusal",
  "reasoning_content",
  // Traceloop writes Cohere's messages under their role.
  "user",
]);

/** Turns indexes within an item, as Traceloop writes them (`tool_calls.0.name`), into lists. */
function plain(item: NestedRecord): Record<string, unknown> {
  const calls = itemsOf(item["tool_calls"]);
  const content = item["content"] ?? item["user"];
  return {
    ...item,
    ...(content === undefined ? {} : { content }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/** `message.role`, `message.contents.0.message_content.text`, `message.tool_calls.0.tool_call.function.name`. */
function openInferenceMessage(
  defaultRole: string,
  texts: JsonTexts,
): (item: NestedRecord) => Message | undefined {
  return (item) => {
    const message = isNestedRecord(item["message"]) ? item["message"] : {};
    const contents = itemsOf(message["contents"]).flatMap((content) => {
      const fields = isNestedRecord(content) ? content["message_content"] : undefined;
      // A call appears both in the contents and in the tool calls.
      if (!isNestedRecord(fields) || /tool|function/.test(asText(fields["type"]) ?? "")) return [];
      const image = isNestedRecord(fields["image"]) ? fields["image"]["image"] : undefined;
      return image === undefined ? fields : { ...fields, image };
    });
    const calls = itemsOf(message["tool_calls"]).flatMap((call) =>
      isNestedRecord(call) && isNestedRecord(call["tool_call"]) ? [call["tool_call"]] : [],
    );
    const legacy = asText(message["function_call_name"]);
    return toMessage(
      {
        role: message["role"],
        content: contents.length > 0 ? contents : (message["content"] ?? null),
        tool_call_id: message["tool_call_id"],
        tool_calls: calls,
        ...(legacy === undefined
          ? {}
          : { function_call: { name: legacy, arguments: message["function_call_arguments_json"] ?? {} } }),
      },
      defaultRole,
      texts,
    );
  };
}

const AI_SDK_PARTS = ["text", "reasoning", "object", "toolCalls"] as const;
const AI_SDK_RESPONSE = keyGroup(
  AI_SDK_PARTS.flatMap((part) => [`ai.response.${part}`, `ai.result.${part}`]),
);

/** Takes the response attributes of the AI SDK: text, calls, reasoning and object. */
function takeAiSdkResponse(attributes: AttributeSet): Content | undefined {
  const keyOf = (name: string): string =>
    attributes.has(`ai.response.${name}`) ? `ai.response.${name}` : `ai.result.${name}`;
  const [text, reasoning, object, calls] = AI_SDK_PARTS.map((name) => attributes.get(keyOf(name)));
  const parts = [
    ...(asText(reasoning) === undefined ? [] : [{ type: "reasoning", content: asText(reasoning) ?? "" }]),
    ...[text, object].flatMap((value) =>
      asText(value) === undefined ? [] : [textPart(asText(value) ?? "")],
    ),
    ...(asList(calls, attributes.texts) ?? []).flatMap((call) =>
      isRecord(call) ? (toolCall(call) ?? []) : [],
    ),
  ];
  if (parts.length === 0) return undefined;
  for (const name of AI_SDK_PARTS) attributes.delete(keyOf(name));
  return { messages: [{ role: "assistant", parts }] };
}
