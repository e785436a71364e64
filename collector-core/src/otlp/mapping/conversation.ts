import type { KnownSpanType, Message } from "@obspan/sdk/wire";
import type { JsonTexts } from "../json-texts.js";
import type { OtlpEvent } from "../received-spans.js";
import type { AttributeSet } from "./attribute-set.js";
import type { Content } from "./content.js";
import { takeInput, takeOutput } from "./content-attributes.js";
import { keyGroup } from "./key-groups.js";
import { takeStructuredInput, takeStructuredOutput } from "./message-attributes.js";
import { readEvents, takeListedEvents } from "./message-events.js";
import { ofText, systemMessages } from "./messages.js";

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
  /** Events that were not mapped. */
  readonly events: readonly OtlpEvent[];
} {
  const isModelCall = spanType === "llm";
  const fromEvents = readEvents(events, isModelCall, attributes.texts);
  const listed = takeListedEvents(attributes, isModelCall);
  const instructions = takeInstructions(attributes);
  const input = withInstructions(
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

const INSTRUCTIONS = keyGroup(["gen_ai.system_instructions"]);

/** Takes the system instructions. */
function takeInstructions(attributes: AttributeSet): readonly Message[] {
  const instructions = attributes.peek(INSTRUCTIONS, systemMessages) ?? [];
  if (instructions.length > 0) for (const key of INSTRUCTIONS.keys) attributes.delete(key);
  return instructions;
}

/** Puts the system instructions before the input. */
function withInstructions(
  texts: JsonTexts,
  instructions: readonly Message[],
  input: Content | undefined,
): Content | undefined {
  if (instructions.length === 0) return input;
  if (input === undefined) return { messages: [...instructions] };
  const messages = "messages" in input ? input.messages : ofText(input.text, "user", texts);
  return { messages: [...instructions, ...messages] };
}
