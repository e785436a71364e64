import type { JsonValue, KnownSpanType, Message } from "@obspan/sdk/wire";
import { appendAll } from "../../runtime/append-all.js";
import { isRecord } from "../../span/span-facts.js";
import type { JsonTexts } from "../json-texts.js";
import type { OtlpAttributes, OtlpEvent } from "../received-spans.js";
import { asList, asRecord, asText, type AttributeSet } from "./attribute-set.js";
import { itemsOf, isNestedRecord, readIndexed, type NestedRecord } from "./indexed-attributes.js";
import { keyGroup, listGroup, type KeyGroup } from "./key-groups.js";
import { textPart, toolCall } from "./message-parts.js";
import { ofText, systemMessages, toMessage, toMessages } from "./messages.js";

/** Input or output of a span: messages if they can be parsed, else a text. */
type Content = { readonly messages: Message[] } | { readonly text: string };

/** Input and output under the attribute names of Obspan. */
export interface Conversation {
  prompt_messages?: Message[];
  prompt_text?: string;
  completion_messages?: Message[];
  completion_text?: string;
  input_text?: string;
  output_text?: string;
}

/** Takes the input and output of a span from its attributes and events (contract 6). */
export function takeConversation(
  attributes: AttributeSet,
  events: readonly OtlpEvent[],
  spanType: KnownSpanType,
): {
  readonly content: Conversation;
  /** Events that were not mapped. */ readonly events: readonly OtlpEvent[];
} {
  const isModelCall = spanType === "llm";
  const fromEvents = readEvents(events, isModelCall, attributes.texts);
  const listed = takeListedEvents(attributes, isModelCall);
  const instructions = takeInstructions(attributes);
  const input = after(
    attributes.texts,
    instructions,
    takeStructuredInput(attributes) ?? fromEvents.input ?? listed?.input ?? takeInput(attributes, spanType),
  );
  const output =
    takeStructuredOutput(attributes) ??
    fromEvents.output ??
    listed?.output ??
    takeOutput(attributes, spanType);
  const conversation: Conversation = {};
  if (input !== undefined) {
    if ("messages" in input) conversation.prompt_messages = input.messages;
    else if (isModelCall) conversation.prompt_text = input.text;
    else conversation.input_text = input.text;
  }
  if (output !== undefined) {
    if ("messages" in output) conversation.completion_messages = output.messages;
    else if (isModelCall) conversation.completion_text = output.text;
    else conversation.output_text = output.text;
  }
  return { content: conversation, events: fromEvents.rest };
}

// --- Attributes that are always messages.

const INSTRUCTIONS = keyGroup(["gen_ai.system_instructions"]);
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

function takeStructuredInput(attributes: AttributeSet): Content | undefined {
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

function takeStructuredOutput(attributes: AttributeSet): Content | undefined {
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

/** Takes the system instructions. */
function takeInstructions(attributes: AttributeSet): readonly Message[] {
  const instructions = attributes.peek(INSTRUCTIONS, systemMessages) ?? [];
  if (instructions.length > 0) for (const key of INSTRUCTIONS.keys) attributes.delete(key);
  return instructions;
}

function after(
  texts: JsonTexts,
  instructions: readonly Message[],
  input: Content | undefined,
): Content | undefined {
  if (instructions.length === 0) return input;
  if (input === undefined) return { messages: [...instructions] };
  const messages = "messages" in input ? input.messages : ofText(input.text, "user", texts);
  return { messages: [...instructions, ...messages] };
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

// --- Attributes that are messages or text.

/** Mastra has the span type in the names of input and output. */
const MASTRA_TYPES = [
  "agent_run",
  "model_generation",
  "model_step",
  "model_inference",
  "model_chunk",
  "tool_call",
  "mcp_tool_call",
  "processor_run",
  "workflow_run",
  "workflow_step",
  "workflow_conditional",
  "workflow_conditional_eval",
  "workflow_parallel",
  "workflow_loop",
  "generic",
];
/** Input attributes in order of precedence. Tools, retrievals and embeddings have groups of their own that come first. */
const INPUT = keyGroup([
  "gen_ai.prompt",
  "ai.prompt",
  "input.value",
  "langfuse.observation.input",
  "traceloop.entity.input",
  "gcp.vertex.agent.llm_request",
  "pydantic_ai.all_messages",
  "all_messages_events",
  "request_data",
  "mastra.span.input",
  ...MASTRA_TYPES.map((type) => `mastra.${type}.input`),
  "genkit:input",
  "ai.value",
  "ai.values",
  "llm.messages",
  "lmnr.span.input",
  "input",
  // The parameter schema of a tool, used only if there is no input.
  "tool.parameters",
]);
const OUTPUT = keyGroup([
  "gen_ai.completion",
  "output.value",
  "langfuse.observation.output",
  "traceloop.entity.output",
  "gcp.vertex.agent.llm_response",
  "final_result",
  "response_data",
  "mastra.span.output",
  ...MASTRA_TYPES.map((type) => `mastra.${type}.output`),
  "genkit:output",
  "lmnr.span.output",
  "output",
]);
const TOOL_INPUT = keyGroup([
  "gen_ai.tool.call.arguments",
  "ai.toolCall.args",
  "ai.toolCall.input",
  "gcp.vertex.agent.tool_call_args",
  "tool_arguments",
]);
const TOOL_OUTPUT = keyGroup([
  "gen_ai.tool.call.result",
  "ai.toolCall.result",
  "ai.toolCall.output",
  "gcp.vertex.agent.tool_response",
  "tool_response",
]);
const RETRIEVAL_INPUT = keyGroup(["gen_ai.retrieval.query.text", "reranker.query", "db.query.text"]);
const EMBEDDING_INPUT = keyGroup(["embedding.embeddings.0.embedding.text", "embedding.text"]);

function takeInput(attributes: AttributeSet, spanType: KnownSpanType): Content | undefined {
  const own = OWN_INPUT[spanType];
  const found = own === undefined ? undefined : takeFirst(attributes, own, spanType, "user");
  return found ?? takeFirst(attributes, INPUT, spanType, "user");
}

function takeOutput(attributes: AttributeSet, spanType: KnownSpanType): Content | undefined {
  const found = spanType === "tool" ? takeFirst(attributes, TOOL_OUTPUT, spanType, "assistant") : undefined;
  return found ?? takeFirst(attributes, OUTPUT, spanType, "assistant");
}

const OWN_INPUT: Readonly<Partial<Record<KnownSpanType, KeyGroup>>> = {
  tool: TOOL_INPUT,
  retrieval: RETRIEVAL_INPUT,
  embedding: EMBEDDING_INPUT,
};

function takeFirst(
  attributes: AttributeSet,
  group: KeyGroup,
  spanType: KnownSpanType,
  role: string,
): Content | undefined {
  if (!attributes.mayHave(group)) return undefined;
  for (const key of group.keys) {
    const value = attributes.get(key);
    if (value === undefined || value === null || value === "") continue;
    attributes.delete(key);
    // Only the input of a model call is parsed as messages: a tool may have any argument.
    const messages =
      spanType === "llm"
        ? toMessages(withInnerMessage(value, attributes.texts), role, attributes.texts)
        : undefined;
    return messages === undefined ? { text: asPlainText(value) } : { messages };
  }
  return undefined;
}

/** Logfire and Genkit keep an answer as `{"message":{…},"usage":{…}}`. */
function withInnerMessage(value: JsonValue, texts: JsonTexts): unknown {
  const record = asRecord(value, texts);
  if (record === undefined || !isRecord(record["message"])) return value;
  const reason = asText(record["finishReason"]);
  return reason === undefined ? record["message"] : { ...record["message"], finish_reason: reason };
}

function asPlainText(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

// --- Events.

const ROLE_OF_EVENT: Readonly<Record<string, string>> = {
  "gen_ai.system.message": "system",
  "gen_ai.user.message": "user",
  "gen_ai.assistant.message": "assistant",
  "gen_ai.tool.message": "tool",
};

const NO_EVENTS = { input: undefined, output: undefined, rest: [] };

/** Reads the message events of all versions of OpenTelemetry's conventions. */
function readEvents(
  events: readonly OtlpEvent[],
  isModelCall: boolean,
  texts: JsonTexts,
): { input: Content | undefined; output: Content | undefined; rest: readonly OtlpEvent[] } {
  if (events.length === 0) return NO_EVENTS;
  const input: Message[] = [];
  const output: Message[] = [];
  const rest = events.filter((event) => !readEvent(event, input, output, texts));
  if (rest.length === events.length) return { input: undefined, output: undefined, rest: events };
  return { input: contentOf(input, isModelCall), output: contentOf(output, isModelCall), rest };
}

const LISTED_EVENTS = keyGroup(["events"]);

/** Early versions of Pydantic AI write the events of a call as one attribute of JSON text. */
function takeListedEvents(
  attributes: AttributeSet,
  isModelCall: boolean,
): { input: Content | undefined; output: Content | undefined } | undefined {
  const list = attributes.peek(LISTED_EVENTS, asList);
  if (list === undefined) return undefined;
  const events = list.flatMap((item): OtlpEvent[] => {
    const name = isRecord(item) ? asText(item["event.name"]) : undefined;
    if (!isRecord(item) || name === undefined) return [];
    return [{ name, timeUnixNano: 0n, attributes: new Map(Object.entries(item)) as OtlpAttributes }];
  });
  if (events.length === 0 || events.length < list.length) return undefined;
  const { input, output, rest } = readEvents(events, isModelCall, attributes.texts);
  if (rest.length > 0) return undefined;
  for (const key of LISTED_EVENTS.keys) attributes.delete(key);
  return { input, output };
}

/** Reduces a single text, response or call to a text, except for model calls. */
function contentOf(messages: Message[], isModelCall: boolean): Content | undefined {
  if (messages.length === 0) return undefined;
  const [message] = messages;
  const [part] = message?.parts ?? [];
  const isSingle = messages.length === 1 && message?.parts.length === 1;
  if (isModelCall || !isSingle || part === undefined) return { messages };
  if (part.type === "text" && typeof part["content"] === "string") return { text: part["content"] };
  const said =
    part.type === "tool_call_response"
      ? part["response"]
      : part.type === "tool_call"
        ? part["arguments"]
        : undefined;
  return said === undefined ? { messages } : { text: asPlainText(said as JsonValue) };
}

/** @returns false if the event has no messages. */
function readEvent(
  { name, attributes }: OtlpEvent,
  input: Message[],
  output: Message[],
  texts: JsonTexts,
): boolean {
  const role = ROLE_OF_EVENT[name];
  if (role !== undefined) return addAll(input, eventMessage(attributes, role, texts));
  if (name === "gen_ai.choice") return addAll(output, choiceMessage(attributes, texts));
  if (name === "gen_ai.content.prompt")
    return addAll(input, messagesOrText(attributes.get("gen_ai.prompt"), "user", texts));
  if (name === "gen_ai.content.completion")
    return addAll(output, messagesOrText(attributes.get("gen_ai.completion"), "assistant", texts));
  if (name !== "gen_ai.client.inference.operation.details") return false;
  const system = systemMessages(attributes.get("gen_ai.system_instructions"), texts);
  const asked = toMessages(attributes.get("gen_ai.input.messages"), "user", texts) ?? [];
  const answered = toMessages(attributes.get("gen_ai.output.messages"), "assistant", texts) ?? [];
  addAll(input, [...system, ...asked]);
  addAll(output, answered);
  return system.length + asked.length + answered.length > 0;
}

function addAll(list: Message[], messages: readonly Message[] | undefined): boolean {
  if (messages === undefined || messages.length === 0) return false;
  appendAll(list, messages);
  return true;
}

function messagesOrText(value: unknown, role: string, texts: JsonTexts): Message[] | undefined {
  const text = asText(value);
  return toMessages(value, role, texts) ?? (text === undefined ? undefined : ofText(text, role, texts));
}

function eventMessage(
  attributes: ReadonlyMap<string, JsonValue>,
  role: string,
  texts: JsonTexts,
): Message[] | undefined {
  const body = asRecord(attributes.get("body"), texts) ?? Object.fromEntries(attributes);
  const id = role === "tool" ? (asText(body["id"]) ?? asText(body["tool_call_id"])) : undefined;
  const message = toMessage({ role, content: null, ...body, id: undefined, tool_call_id: id }, role, texts);
  return message === undefined ? undefined : [{ ...message, role: asText(body["role"]) ?? role }];
}

function choiceMessage(attributes: ReadonlyMap<string, JsonValue>, texts: JsonTexts): Message[] | undefined {
  const body = asRecord(attributes.get("body"), texts) ?? Object.fromEntries(attributes);
  const inner = texts.parsed(body["message"] ?? body["content"]);
  const reason = asText(body["finish_reason"]);
  const message = isRecord(inner)
    ? toMessage(inner, "assistant", texts)
    : toMessage({ content: inner ?? null, tool_calls: body["tool_calls"] }, "assistant", texts);
  if (message === undefined) return undefined;
  return [reason === undefined ? message : { ...message, finish_reason: reason }];
}
