import { elementsOf, field, textOf } from "../json-fields.js";
import type { ModelOperation, ResponseFailure } from "../model-client/operation.js";
import { definedOnly, nonEmpty, type ReadAttributes } from "../model-client/read-attributes.js";
import { createGeminiAccumulator } from "./gemini-accumulator.js";
import { geminiMessages, geminiParts, geminiTools } from "./gemini-content.js";
import { geminiUsage } from "./gemini-usage.js";
import { completionText, promptText } from "./message-texts.js";
import { failureIn } from "./response-failure.js";

/**
 * `generateContent` and `streamGenerateContent` of the Gemini API and of Vertex AI. On the wire the model is part of the URL:
 * the caller adds it to the request as `model`.
 */
export const geminiContent: ModelOperation = {
  name: "chat",
  spanType: "llm",
  readRequest,
  readResponse,
  readFailure: (response) => googleFailure(field(response, "error")),
  createAccumulator: createGeminiAccumulator,
};

function readRequest(request: unknown): ReadAttributes {
  const instructions = geminiMessages(field(request, "systemInstruction")).flatMap(({ parts }) => parts);
  const messages = [
    ...(instructions.length > 0 ? [{ role: "system", parts: instructions }] : []),
    ...geminiMessages(field(request, "contents")),
  ];
  const config = field(request, "generationConfig");
  const thinking = field(config, "thinkingConfig");
  const calling = field(field(request, "toolConfig"), "functionCallingConfig");
  return definedOnly({
    model: modelName(field(request, "model")),
    temperature: field(config, "temperature"),
    top_p: field(config, "topP"),
    top_k: field(config, "topK"),
    n: field(config, "candidateCount"),
    seed: field(config, "seed"),
    stop: field(config, "stopSequences"),
    max_tokens: field(config, "maxOutputTokens"),
    presence_penalty: field(config, "presencePenalty"),
    frequency_penalty: field(config, "frequencyPenalty"),
    response_format: textOf(field(config, "responseMimeType")),
    thinking_budget: field(thinking, "thinkingBudget"),
    reasoning_effort: textOf(field(thinking, "thinkingLevel")),
    tool_choice: textOf(field(calling, "mode")),
    service_tier: textOf(field(request, "serviceTier")),
    prompt_text: promptText(messages),
    prompt_messages: nonEmpty(messages),
    tool_definitions: nonEmpty(geminiTools(field(request, "tools"))),
  });
}

function readResponse(response: unknown): ReadAttributes {
  const candidates = elementsOf(field(response, "candidates"));
  const messages = candidates.map((candidate) => {
    const finishReason = textOf(field(candidate, "finishReason"));
    return {
      role: "assistant",
      parts: geminiParts(field(field(candidate, "content"), "parts")),
      ...(finishReason !== undefined && { finish_reason: finishReason }),
    };
  });
  const reasons = messages.flatMap(({ finish_reason: reason }) => reason ?? []);
  return definedOnly({
    model: modelName(field(response, "modelVersion")),
    response_id: textOf(field(response, "responseId")),
    service_tier: textOf(field(field(response, "usageMetadata"), "serviceTier")),
    ...geminiUsage(response),
    finish_reason:
      textOf([...new Set(reasons)].join(",")) ??
      textOf(field(field(response, "promptFeedback"), "blockReason")),
    completion_text: completionText(messages),
    completion_messages: nonEmpty(messages.filter(({ parts }) => parts.length > 0)),
  });
}

/** The name of a model without the path before it: `models/gemini-3.5-flash`. */
export function modelName(model: unknown): string | undefined {
  return textOf(textOf(model)?.replace(/^.*models\//, ""));
}

/** Google's errors have a status as text, such as `RESOURCE_EXHAUSTED`. */
export function googleFailure(error: unknown): ResponseFailure | undefined {
  const [type, code, message] = ["status", "code", "message"].map((key) => field(error, key));
  return failureIn([{ type, code, message }]);
}
