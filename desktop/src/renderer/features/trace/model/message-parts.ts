import { isLongText, isRecord, type LongText } from "./values.js";

/** A message, read from the attributes of a span. */
export interface SpanMessage {
  /** Unique among the messages of its span. */
  readonly key: string;
  /** `system`, `user`, `assistant`, `tool`, `input`, `output`, or the provider's own role. */
  readonly role: string;
  /** What the texts of its parts are: Markdown is what a person or a model wrote. */
  readonly form: MessageForm;
  readonly parts: readonly SpanPart[];
  readonly finishReason?: string;
}

/** `prose` of users and models, `plain` text of instructions, `data` of programs. */
export type MessageForm = "prose" | "plain" | "data";

const FORMS: ReadonlyMap<string, MessageForm> = new Map([
  ["user", "prose"],
  ["human", "prose"],
  ["assistant", "prose"],
  ["model", "prose"],
  ["ai", "prose"],
  ["tool", "data"],
  ["function", "data"],
  ["input", "data"],
  ["output", "data"],
]);

/** The form of the texts that a role writes. */
export function formOf(role: string): MessageForm {
  return FORMS.get(role.toLowerCase()) ?? "plain";
}

/** One piece of a message. */
export type SpanPart =
  | { readonly kind: "text" | "reasoning"; readonly text: LongText }
  | ToolCallPart
  | { readonly kind: "result"; readonly id: string; readonly response: unknown }
  | { readonly kind: "image"; readonly mimeType: string; readonly content: LongText }
  | { readonly kind: "link"; readonly label: string; readonly uri: string }
  | { readonly kind: "json"; readonly value: unknown };

/** A tool call, with its result if the conversation contains it. */
export interface ToolCallPart {
  readonly kind: "call";
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
  readonly result?: { readonly response: unknown };
}

/** Reads messages in the shape of contract 1, and those with their text in `content`, as some providers write them. */
export function readMessages(values: readonly unknown[], key: string): SpanMessage[] {
  return values.map((value, index) => {
    const messageKey = `${key}.${index}`;
    if (isLongText(value))
      return { key: messageKey, role: "user", form: "prose", parts: [{ kind: "text", text: value }] };
    if (!isRecord(value))
      return { key: messageKey, role: "other", form: "data", parts: [{ kind: "json", value }] };
    const role = typeof value["role"] === "string" && value["role"] !== "" ? value["role"] : "other";
    const finishReason = value["finish_reason"];
    return {
      key: messageKey,
      role,
      form: formOf(role),
      parts: partsOf(value),
      ...(typeof finishReason === "string" ? { finishReason } : {}),
    };
  });
}

function partsOf(message: Readonly<Record<string, unknown>>): SpanPart[] {
  const { parts, content } = message;
  const list = Array.isArray(parts) ? (parts as unknown[]) : contentParts(content);
  if (list === undefined) return [{ kind: "json", value: message }];
  return list.map(readPart);
}

function contentParts(content: unknown): readonly unknown[] | undefined {
  if (Array.isArray(content)) return content as unknown[];
  return isLongText(content) ? [content] : undefined;
}

function readPart(part: unknown): SpanPart {
  if (isLongText(part)) return { kind: "text", text: part };
  if (!isRecord(part)) return { kind: "json", value: part };
  return READERS.get(textField(part, "type"))?.(part) ?? { kind: "json", value: part };
}

type Reader = (part: Readonly<Record<string, unknown>>) => SpanPart | undefined;

const readText: Reader = (part) => {
  const text = part["content"] ?? part["text"];
  if (!isLongText(text)) return undefined;
  return { kind: part["type"] === "reasoning" ? "reasoning" : "text", text };
};

/** Other parts are shown as JSON. */
const READERS: ReadonlyMap<string, Reader> = new Map(
  Object.entries<Reader>({
    text: readText,
    reasoning: readText,
    tool_call: (part) => ({
      kind: "call",
      id: textField(part, "id"),
      name: textField(part, "name") || "tool",
      arguments: part["arguments"],
    }),
    tool_call_response: (part) => ({ kind: "result", id: textField(part, "id"), response: part["response"] }),
    blob: (part) => {
      const mimeType = textField(part, "mime_type");
      const { content } = part;
      return mimeType.startsWith("image/") && isLongText(content)
        ? { kind: "image", mimeType, content }
        : undefined;
    },
    uri: (part) => {
      const { uri } = part;
      if (typeof uri !== "string") return undefined;
      return { kind: "link", label: textField(part, "modality") || textField(part, "mime_type"), uri };
    },
  }),
);

function textField(part: Readonly<Record<string, unknown>>, key: string): string {
  const value = part[key];
  return typeof value === "string" ? value : "";
}

const IMAGE_TYPE = /^image\/[a-z0-9.+-]+$/;
const BASE64 = /^[A-Za-z0-9+/\s]*(?:=\s*){0,2}$/;

/** Data URL of an image in a message; undefined if it is not a base64 image. */
export function imageAddress(mimeType: string, content: string): string | undefined {
  const type = mimeType.toLowerCase();
  if (!IMAGE_TYPE.test(type) || content === "" || !BASE64.test(content)) return undefined;
  return `data:${type};base64,${content}`;
}
