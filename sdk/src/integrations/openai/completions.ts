import type { Message } from "../../wire/index.js";
import { elementsOf, field, fieldsOf, indexOf, textOf } from "../json-fields.js";
import { answerIdentity, finishReasons } from "./chat-completions.js";
import { answerText, plainInputText } from "./chat-messages.js";
import { appended } from "./folded-text.js";
import { contentParts } from "./message-parts.js";
import type { Operation, StreamFold } from "./operation.js";
import { defined, someOf } from "./read-attributes.js";
import { requestParameters } from "./request-parameters.js";
import { usageAttributes } from "./usage.js";

/** `completions.create`, the API from before the chat. */
export const completions: Operation = {
  name: "text_completion",
  spanType: "llm",
  readRequest: (request) =>
    defined({
      model: textOf(field(request, "model")),
      ...requestParameters(request),
      prompt_text: plainInputText(field(request, "prompt")),
    }),
  readResponse: (response) => {
    const choices = elementsOf(field(response, "choices"));
    const messages = choices.map(toMessage);
    return defined({
      ...answerIdentity(response),
      ...usageAttributes(response),
      finish_reason: finishReasons(choices),
      completion_text: answerText(messages),
      // One answer is the text alone; only of several is there more to say.
      completion_messages: messages.length > 1 ? someOf(messages) : undefined,
    });
  },
  startFold,
  usageOnRequest: true,
};

function toMessage(choice: unknown): Message {
  const finishReason = textOf(field(choice, "finish_reason"));
  return {
    role: "assistant",
    parts: contentParts(field(choice, "text")),
    ...(finishReason !== undefined && { finish_reason: finishReason }),
  };
}

function startFold(): StreamFold {
  let about: Readonly<Record<string, unknown>> = {};
  const choices = new Map<number, { text: string; finish_reason: string | undefined }>();
  return {
    add(chunk) {
      const fields = fieldsOf(chunk);
      if (fields === undefined) return false;
      const usage = fields["usage"] ?? about["usage"];
      about = { ...about, ...fields, usage };
      let generated = false;
      for (const [position, choice] of elementsOf(fields["choices"]).entries()) {
        const index = indexOf(field(choice, "index"), position);
        const folded = choices.get(index) ?? { text: "", finish_reason: undefined };
        choices.set(index, folded);
        const piece = textOf(field(choice, "text")) ?? "";
        if (piece !== "") generated = true;
        folded.text = appended(folded.text, piece);
        folded.finish_reason = textOf(field(choice, "finish_reason")) ?? folded.finish_reason;
      }
      return generated;
    },
    response: () => ({
      ...about,
      choices: [...choices].sort(([left], [right]) => left - right).map(([, choice]) => choice),
    }),
    isComplete: () =>
      choices.size > 0 && [...choices.values()].every((choice) => choice.finish_reason !== undefined),
  };
}
