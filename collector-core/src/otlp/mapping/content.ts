import type { JsonValue, Message } from "@obspan/sdk/wire";

/** Input or output of a span: messages if they can be parsed, else a text. */
export type Content = { readonly messages: Message[] } | { readonly text: string };

/** Input and output of a span. */
export interface InputAndOutput {
  readonly input: Content | undefined;
  readonly output: Content | undefined;
}

/** Returns a value as the text of a content. */
export function asPlainText(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
