import type { Message } from "../../wire/index.js";
import { elementsOf, field, fieldsOf, indexOf, textOf } from "../json-fields.js";
import { appendLimited, keepText, newTextRoom } from "../model-client/append-limited.js";
import { IndexedParts } from "../model-client/indexed-parts.js";
import type { ModelOperation, StreamAccumulator } from "../model-client/operation.js";
import { definedOnly, nonEmpty } from "../model-client/read-attributes.js";
import { finishReasons, responseIdentity } from "./openai-chat.js";
import { completionText } from "./message-texts.js";
import { addMetadata } from "./openai-chat-accumulator.js";
import { contentParts } from "./openai-content.js";
import { plainInputText } from "./openai-messages.js";
import { requestParameters } from "./openai-request.js";
import { usageAttributes } from "./openai-usage.js";

/** `completions.create`, the API before chat completions. */
export const openaiCompletions: ModelOperation = {
  name: "text_completion",
  spanType: "llm",
  readRequest: (request) =>
    definedOnly({
      model: textOf(field(request, "model")),
      ...requestParameters(request),
      prompt_text: plainInputText(field(request, "prompt")),
    }),
  readResponse: (response) => {
    const choices = elementsOf(field(response, "choices"));
    const messages = choices.map(toMessage);
    return definedOnly({
      ...responseIdentity(response),
      ...usageAttributes(response),
      finish_reason: finishReasons(choices),
      completion_text: completionText(messages),
      // A single message would only repeat the text.
      completion_messages: messages.length > 1 ? nonEmpty(messages) : undefined,
    });
  },
  createAccumulator,
};

function toMessage(choice: unknown): Message {
  const finishReason = textOf(field(choice, "finish_reason"));
  return {
    role: "assistant",
    parts: contentParts(field(choice, "text")),
    ...(finishReason !== undefined && { finish_reason: finishReason }),
  };
}

interface Choice {
  text: string;
  finish_reason: string | undefined;
}

function createAccumulator(): StreamAccumulator {
  const metadata: Record<string, unknown> = {};
  const choices = new IndexedParts<Choice>(() => ({ text: "", finish_reason: undefined }));
  const room = newTextRoom();
  return {
    add(chunk) {
      const fields = fieldsOf(chunk);
      if (fields === undefined) return false;
      addMetadata(metadata, fields);
      let isGenerated = false;
      for (const [position, delta] of elementsOf(field(fields, "choices")).entries()) {
        const choice = choices.at(indexOf(field(delta, "index"), position));
        const piece = textOf(field(delta, "text")) ?? "";
        if (piece !== "") isGenerated = true;
        choice.text = appendLimited(choice.text, piece, room);
        choice.finish_reason = keepText(field(delta, "finish_reason"), room) ?? choice.finish_reason;
      }
      return isGenerated;
    },
    response: () => ({ ...metadata, choices: choices.inOrder() }),
    isComplete: () =>
      choices.size > 0 && choices.inOrder().every((choice) => choice.finish_reason !== undefined),
  };
}
