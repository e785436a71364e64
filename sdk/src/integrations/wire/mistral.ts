import { field, textOf, type Fields } from "../json-fields.js";
import type { ModelOperation } from "../model-client/operation.js";
import { definedOnly } from "../model-client/read-attributes.js";
import { openaiChat } from "./openai-chat.js";
import { openaiEmbeddings } from "./openai-embeddings.js";

/**
 * Mistral's chat completions, also of an agent (`agent_id` instead of `model`). They differ from OpenAI's in a few fields of
 * the request.
 */
export const mistralChat: ModelOperation = {
  ...openaiChat,
  readRequest: (request) =>
    definedOnly({
      ...openaiChat.readRequest(request),
      seed: field(request, "random_seed"),
      agent_id: textOf(field(request, "agent_id")),
    }),
  readResponse: (response) => openaiChat.readResponse(withoutUnknownUsage(response)),
};

/** Mistral's fill-in-the-middle: completes the code between `prompt` and `suffix`. Its responses are those of chats. */
export const mistralFim: ModelOperation = {
  ...mistralChat,
  name: "text_completion",
  readRequest: (request) =>
    definedOnly({
      ...mistralChat.readRequest(request),
      prompt_text: textOf([field(request, "prompt"), field(request, "suffix")].filter(textOf).join("\n…\n")),
    }),
};

/** Mistral's embeddings. */
export const mistralEmbeddings: ModelOperation = {
  ...openaiEmbeddings,
  readResponse: (response) => openaiEmbeddings.readResponse(withoutUnknownUsage(response)),
};

/** Mistral's client sets all counts to zero if the response has none. */
function withoutUnknownUsage(response: unknown): unknown {
  const usage = field(response, "usage");
  if (field(usage, "total_tokens") !== 0 || field(usage, "prompt_tokens") !== 0) return response;
  return { ...(response as Fields), usage: undefined };
}
