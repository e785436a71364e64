import type { Message } from "../../wire/index.js";
import { textOf } from "../json-fields.js";
import { joinTexts, partsText } from "./message-parts.js";

/**
 * The prompt as one text: the last message of the user. The whole conversation is in `prompt_messages`; as a text it would
 * start with the same instructions on every call.
 */
export function promptText(messages: readonly Message[]): string | undefined {
  const lastOfUser = messages.findLast(({ role, parts }) => role === "user" && partsText(parts) !== "");
  if (lastOfUser !== undefined) return partsText(lastOfUser.parts);
  // Messages of the model are completions, which `captureCompletion` covers.
  const others = messages.filter(({ role }) => role !== "assistant");
  return textOf(
    joinTexts(
      others.map(({ parts }) => partsText(parts)),
      "\n\n",
    ),
  );
}

/** The text of a completion, or the text of a refusal. */
export function completionText(messages: readonly Message[]): string | undefined {
  return textOf(partsText(messages[0]?.parts ?? []));
}
