import { countOf, elementsOf, field, textOf } from "../json-fields.js";
import { appendLimited } from "../model-client/append-limited.js";
import type { ModelOperation } from "../model-client/operation.js";
import { definedOnly } from "../model-client/read-attributes.js";
import { textParts } from "./message-parts.js";

/** The models on Bedrock that complete a text: Titan (`inputText`), Llama, Mistral, DeepSeek and others (`prompt`). */
export const bedrockText: ModelOperation = {
  name: "text_completion",
  spanType: "llm",
  readRequest: (request) => {
    const config = field(request, "textGenerationConfig") ?? request;
    return definedOnly({
      temperature: field(config, "temperature"),
      top_p: field(config, "topP") ?? field(config, "top_p"),
      max_tokens:
        field(config, "maxTokenCount") ?? field(config, "max_gen_len") ?? field(config, "max_tokens"),
      stop: field(config, "stopSequences") ?? field(config, "stop"),
      prompt_text: textOf(field(request, "inputText")) ?? textOf(field(request, "prompt")),
    });
  },
  readResponse: (response) => {
    const answer = answerIn(response);
    const text = textIn(answer);
    const finishReason = reasonIn(answer);
    return definedOnly({
      tokens_input:
        countOf(field(response, "inputTextTokenCount")) ?? countOf(field(response, "prompt_token_count")),
      tokens_output:
        countOf(field(answer, "tokenCount")) ??
        countOf(field(response, "totalOutputTextTokenCount")) ??
        countOf(field(response, "generation_token_count")),
      finish_reason: finishReason,
      completion_text: textOf(text),
      completion_messages: text
        ? [
            {
              role: "assistant",
              parts: textParts(text),
              ...(finishReason !== undefined && { finish_reason: finishReason }),
            },
          ]
        : undefined,
    });
  },
  createAccumulator: () => {
    const counts: Record<string, unknown> = {};
    let text = "";
    let reason: string | undefined;
    return {
      add(chunk) {
        for (const key of COUNTS) counts[key] = countOf(field(chunk, key)) ?? counts[key];
        const answer = answerIn(chunk);
        const piece = textIn(answer);
        text = appendLimited(text, piece);
        reason = reasonIn(answer) ?? reason;
        return piece !== "";
      },
      response: () => ({ ...counts, generation: text, stop_reason: reason }),
      isComplete: () => reason !== undefined,
    };
  },
};

const COUNTS = [
  "inputTextTokenCount",
  "totalOutputTextTokenCount",
  "prompt_token_count",
  "generation_token_count",
] as const;

/** The first answer of a response, or the response itself. */
function answerIn(response: unknown): unknown {
  for (const list of ["results", "outputs", "choices"]) {
    const [first] = elementsOf(field(response, list));
    if (first !== undefined) return first;
  }
  return response;
}

function textIn(answer: unknown): string {
  for (const key of ["outputText", "generation", "text"]) {
    const text = textOf(field(answer, key));
    if (text !== undefined) return text;
  }
  return "";
}

function reasonIn(answer: unknown): string | undefined {
  return textOf(field(answer, "completionReason")) ?? textOf(field(answer, "stop_reason"));
}
