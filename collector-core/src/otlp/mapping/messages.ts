import type { Message, MessagePart, ToolDefinition } from "@obspan/sdk/wire";
import { appendAll } from "../../runtime/append-all.js";
import { isRecord } from "../../span/span-facts.js";
import type { JsonTexts } from "../json-texts.js";
import { asText } from "./attribute-set.js";
import { toolCall, toolResponse, toParts } from "./message-parts.js";

type Fields = Readonly<Record<string, unknown>>;

/** Other names of roles: LangChain's types, Google's `model`. */
const ROLES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    human: "user",
    ai: "assistant",
    model: "assistant",
    function: "tool",
    humanmessage: "user",
    aimessage: "assistant",
    aimessagechunk: "assistant",
    systemmessage: "system",
    toolmessage: "tool",
  }),
);

/**
 * Reads messages in any known layout (see `message-parts.ts`): a list of messages, a request or response of a provider, or
 * JSON text of one of them.
 *
 * @param role - role of messages without one.
 * @returns undefined if the value has no messages.
 */
export function toMessages(value: unknown, role: string, texts: JsonTexts): Message[] | undefined {
  const parsed = texts.parsed(value);
  const messages = Array.isArray(parsed)
    ? fromList(parsed as unknown[], role, texts)
    : isRecord(parsed)
      ? fromRecord(parsed, role, texts)
      : undefined;
  return messages === undefined || messages.length === 0 ? undefined : messages;
}

function fromList(items: readonly unknown[], role: string, texts: JsonTexts): Message[] | undefined {
  const messages: Message[] = [];
  let wasItem = false;
  for (const item of items) {
    // LangChain sends a list of conversations.
    const more = Array.isArray(item)
      ? fromList(item as unknown[], role, texts)
      : toMessage(texts.parsed(item), role, texts);
    if (more === undefined) return undefined;
    const last = messages.at(-1);
    if (Array.isArray(more)) appendAll(messages, more);
    else if (!isTurnItem(item)) messages.push(more);
    else if (wasItem && last?.role === "assistant" && more.role === "assistant")
      appendAll(last.parts, more.parts);
    // Copies the parts, which later items extend: they may be the sender's list.
    else messages.push({ ...more, parts: [...more.parts] });
    wasItem = isTurnItem(item);
  }
  return messages;
}

/** True for an item of the Responses API. Reasoning, calls and text of one model turn are separate items. */
function isTurnItem(item: unknown): boolean {
  if (!isRecord(item)) return false;
  const { type } = item;
  return type === "message" ? item["role"] === "assistant" : isCallOrReasoning(item);
}

function isCallOrReasoning({ type, role }: Fields): boolean {
  return typeof type === "string" && role === undefined && /call|reasoning/.test(type);
}

/** Reads a request (`messages`, `contents`, `input`, `prompt`), a response (`choices`, `output`, `candidates`), or one message. */
function fromRecord(body: Fields, role: string, texts: JsonTexts): Message[] | undefined {
  const conversation = body["messages"] ?? body["contents"];
  if (conversation !== undefined) {
    const messages = toMessages(conversation, role, texts);
    return messages === undefined ? undefined : [...systemOf(body, texts), ...messages];
  }
  const prompt = body["prompt"] ?? (body["model"] === undefined ? undefined : body["input"]);
  if (prompt !== undefined) {
    const messages =
      typeof prompt === "string" ? ofText(prompt, role, texts) : toMessages(prompt, role, texts);
    return messages === undefined ? undefined : [...systemOf(body, texts), ...messages];
  }
  const choices = [body["choices"], body["output"], body["candidates"], body["generations"]].find(
    Array.isArray,
  );
  if (choices !== undefined) return fromChoices(choices as unknown[], role, texts);
  const message = toMessage(body, role, texts);
  return message === undefined ? undefined : [message];
}

function fromChoices(choices: readonly unknown[], role: string, texts: JsonTexts): Message[] | undefined {
  const messages = choices.flatMap((choice) => {
    if (Array.isArray(choice)) return fromChoices(choice as unknown[], role, texts) ?? [];
    if (!isRecord(choice)) return [];
    const inner =
      choice["message"] ?? (isRecord(choice["content"]) ? choice["content"] : undefined) ?? choice;
    const message = toMessage(inner, role, texts);
    if (message === undefined) return [];
    const reason = asText(choice["finish_reason"]) ?? asText(choice["finishReason"]);
    return reason === undefined ? message : { ...message, finish_reason: reason };
  });
  return messages.length === 0 ? undefined : joined(messages);
}

/** Joins the items of one model turn in the Responses API to one message. */
function joined(messages: readonly Message[]): Message[] {
  const result: Message[] = [];
  for (const message of messages) {
    const last = result.at(-1);
    const isSameTurn = last?.role === message.role && last.finish_reason === undefined;
    if (last !== undefined && isSameTurn) appendAll(last.parts, message.parts);
    else result.push({ ...message, parts: [...message.parts] });
  }
  return result;
}

function systemOf(body: Fields, texts: JsonTexts): Message[] {
  const config = isRecord(body["config"]) ? body["config"] : {};
  const instructions =
    body["system"] ?? body["instructions"] ?? config["system_instruction"] ?? config["systemInstruction"];
  const content = isRecord(instructions) ? (instructions["parts"] ?? instructions) : instructions;
  return systemMessages(content, texts);
}

/** System instructions as a message. */
export function systemMessages(instructions: unknown, texts: JsonTexts): Message[] {
  const parts = toParts(instructions, texts);
  return parts.length === 0 ? [] : [{ role: "system", parts }];
}

/** Wraps a text in a message. */
export function ofText(content: string, role: string, texts: JsonTexts): Message[] {
  return [{ role, parts: toParts(content, texts) }];
}

/** @returns undefined if the item is not a message. */
export function toMessage(item: unknown, defaultRole: string, texts: JsonTexts): Message | undefined {
  if (typeof item === "string")
    return item === "" ? undefined : { role: defaultRole, parts: toParts(item, texts) };
  if (!isRecord(item)) return undefined;
  if (isPlainMessage(item)) return item;
  const fields = unwrapped(item);
  const parts = partsOf(fields, texts);
  if (parts === undefined) return undefined;
  const reason = asText(fields["finish_reason"]) ?? asText(fields["stop_reason"]);
  return {
    role: roleOf(fields, defaultRole),
    parts,
    ...(reason === undefined ? {} : { finish_reason: reason }),
  };
}

/** True for a text message in OpenTelemetry's layout, which Obspan uses too. */
function isPlainMessage(item: Fields): item is Fields & Message {
  const { role, parts, finish_reason: reason } = item;
  if (typeof role !== "string" || ROLES.has(role) || !Array.isArray(parts)) return false;
  if (reason !== undefined && (typeof reason !== "string" || reason === "")) return false;
  return (parts as unknown[]).every(
    (part) => isRecord(part) && part["type"] === "text" && typeof part["content"] === "string",
  );
}

/** Unwraps messages: LangChain wraps them in their class, Google in the `content` of a response. */
function unwrapped(item: Fields): Fields {
  const { content } = item;
  if (isRecord(content) && Array.isArray(content["parts"])) return content;
  for (const [key, kind] of [
    ["kwargs", Array.isArray(item["id"]) ? (item["id"] as unknown[]).at(-1) : undefined],
    ["data", item["type"]],
  ] as const) {
    const inner = item[key];
    if (isRecord(inner) && typeof kind === "string") return { role: kind, ...inner, type: undefined };
  }
  return item;
}

function roleOf(fields: Fields, defaultRole: string): string {
  const { role, type } = fields;
  if (typeof role === "string" && role !== "") return ROLES.get(role.toLowerCase()) ?? role;
  if (typeof type === "string") {
    const known = ROLES.get(type.toLowerCase()) ?? (type === "system" || type === "tool" ? type : undefined);
    if (known !== undefined) return known;
    if (type.endsWith("_output")) return "tool";
    if (type === "function_call" || type === "reasoning") return "assistant";
  }
  return defaultRole;
}

function partsOf(fields: Fields, texts: JsonTexts): MessagePart[] | undefined {
  if (Array.isArray(fields["parts"])) return toParts(fields["parts"], texts);
  if (isCallOrReasoning(fields)) return toParts(fields, texts);
  const content = fields["content"] ?? fields["text"];
  const calls = fields["tool_calls"] ?? fields["toolCalls"];
  const legacyCall = fields["function_call"];
  if (content === undefined && !Array.isArray(calls) && !isRecord(legacyCall)) {
    // A response without text: `{"role":"assistant","content":null}`, or only a refusal.
    return typeof fields["role"] === "string" ? toParts(fields["refusal"], texts) : undefined;
  }
  const answered = asText(fields["tool_call_id"]) ?? asText(fields["toolCallId"]);
  if (answered !== undefined) return toolResponse({ id: answered, response: content ?? "" }) ?? [];
  return [
    ...toParts(fields["reasoning_content"], texts).map((part): MessagePart =>
      part.type === "text" ? { ...part, type: "reasoning" } : part,
    ),
    ...toParts(content, texts),
    ...toParts(fields["refusal"], texts),
    ...toolCalls(calls, texts),
    ...(isRecord(legacyCall) ? (toolCall(legacyCall) ?? []) : []),
  ];
}

function toolCalls(calls: unknown, texts: JsonTexts): MessagePart[] {
  const list = texts.parsed(calls);
  if (!Array.isArray(list)) return [];
  return (list as unknown[]).flatMap((call) => {
    const fields = texts.parsed(call);
    return isRecord(fields) ? (toolCall(fields) ?? [{ ...fields, type: "tool_call" }]) : [];
  });
}

/** Names of the parameter schema of a tool; older versions of Traceloop write `arguments`. */
const SCHEMA_FIELDS = ["parameters", "input_schema", "inputSchema", "json_schema", "arguments"];

/** Reads tool definitions from a list in any known layout. @returns undefined for other values. */
export function toToolDefinitions(value: unknown, texts: JsonTexts): ToolDefinition[] | undefined {
  const list = texts.parsed(value);
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const definitions = (list as unknown[]).flatMap((item) => {
    const tool = texts.parsed(item);
    if (!isRecord(tool)) return [];
    const fields = [tool["function"], tool["toolSpec"]].find(isRecord) ?? tool;
    const name = asText(fields["name"]);
    if (name === undefined) return [];
    const description = asText(fields["description"]);
    const schema = texts.parsed(
      SCHEMA_FIELDS.map((field) => fields[field]).find((found) => found !== undefined),
    );
    // Bedrock nests the schema in `json`.
    const parameters = isRecord(schema) && isRecord(schema["json"]) ? schema["json"] : schema;
    return {
      type: asText(tool["type"]) ?? "function",
      name,
      ...(description === undefined ? {} : { description }),
      ...(parameters === undefined ? {} : { parameters }),
    };
  });
  return definitions.length === list.length ? definitions : undefined;
}
