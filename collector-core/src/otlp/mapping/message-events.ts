import type { JsonValue, Message } from "@obspan/sdk/wire";
import { appendAll } from "../../runtime/append-all.js";
import { isRecord } from "../../span/span-facts.js";
import type { JsonTexts } from "../json-texts.js";
import type { OtlpAttributes, OtlpEvent } from "../received-spans.js";
import { asList, asRecord, asText, type AttributeSet } from "./attribute-set.js";
import { asPlainText, type Content, type InputAndOutput } from "./content.js";
import { keyGroup } from "./key-groups.js";
import { ofText, systemMessages, toMessage, toMessages } from "./messages.js";

const ROLE_OF_EVENT: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
  }),
);

/** Input and output that events have, and the events that were not mapped. */
interface ReadEvents extends InputAndOutput {
  readonly rest: readonly OtlpEvent[];
}

const NO_EVENTS: ReadEvents = { input: undefined, output: undefined, rest: [] };

/** Reads the message events of all versions of OpenTelemetry's conventions. */
export function readEvents(events: readonly OtlpEvent[], isModelCall: boolean, texts: JsonTexts): ReadEvents {
  if (events.length === 0) return NO_EVENTS;
  const input: Message[] = [];
  const output: Message[] = [];
  const rest = events.filter((event) => !readEvent(event, input, output, texts));
  if (rest.length === events.length) return { input: undefined, output: undefined, rest: events };
  return { input: contentOf(input, isModelCall), output: contentOf(output, isModelCall), rest };
}

const LISTED_EVENTS = keyGroup(["events"]);

/** Early versions of Pydantic AI write the events of a call as one attribute of JSON text. */
export function takeListedEvents(attributes: AttributeSet, isModelCall: boolean): InputAndOutput | undefined {
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
  const role = ROLE_OF_EVENT.get(name);
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
