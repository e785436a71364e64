import type { LongText } from "./values.js";

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

/** One piece of a message. */
export type SpanPart =
  | { readonly kind: "text" | "reasoning"; readonly text: LongText }
  | ToolCallPart
  | ToolResultPart
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

/** The result of a tool call. */
export interface ToolResultPart {
  readonly kind: "result";
  readonly id: string;
  readonly response: unknown;
}

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
