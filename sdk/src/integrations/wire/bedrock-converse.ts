import { countOf, elementsOf, field, fieldsOf, textOf } from "../json-fields.js";
import type { ModelOperation, ResponseFailure } from "../model-client/operation.js";
import { definedOnly, nonEmpty, type ReadAttributes } from "../model-client/read-attributes.js";
import { converseMessages, converseParts, converseTools } from "./bedrock-content.js";
import { createConverseAccumulator } from "./bedrock-converse-accumulator.js";
import { completionText, promptText } from "./message-texts.js";
import { failureIn } from "./response-failure.js";

/**
 * Amazon Bedrock's `Converse` and `ConverseStream`. The request has the field `modelId`, which the wire has in the path. The
 * models Nova have the same requests and responses in `InvokeModel`.
 */
export const bedrockConverse: ModelOperation = {
  name: "chat",
  spanType: "llm",
  readRequest,
  readResponse,
  readFailure,
  createAccumulator: createConverseAccumulator,
};

/**
 * The model of a request. Of an ARN, which contains the number of the account, only the last part is kept: the id of the model
 * or of the inference profile.
 */
export function bedrockModel(modelId: unknown): string | undefined {
  const id = textOf(modelId);
  return id?.startsWith("arn:") === true ? textOf(id.slice(id.lastIndexOf("/") + 1)) : id;
}

function readRequest(request: unknown): ReadAttributes {
  const inference = field(request, "inferenceConfig");
  const toolConfig = field(request, "toolConfig");
  const messages = converseMessages(field(request, "system"), field(request, "messages"));
  return definedOnly({
    model: bedrockModel(field(request, "modelId")),
    temperature: field(inference, "temperature"),
    top_p: field(inference, "topP"),
    max_tokens: field(inference, "maxTokens") ?? field(inference, "max_new_tokens"),
    stop: field(inference, "stopSequences"),
    tool_choice: toolChoice(field(toolConfig, "toolChoice")),
    service_tier: textOf(field(field(request, "serviceTier"), "type")),
    prompt_text: promptText(messages),
    prompt_messages: nonEmpty(messages),
    tool_definitions: nonEmpty(converseTools(toolConfig)),
  });
}

/** `auto`, `any`, or the name of the tool that the model must call. */
function toolChoice(choice: unknown): string | undefined {
  const named = textOf(field(field(choice, "tool"), "name"));
  return named ?? Object.keys(fieldsOf(choice) ?? {})[0];
}

function readResponse(response: unknown): ReadAttributes {
  const message = field(field(response, "output"), "message");
  const finishReason = textOf(field(response, "stopReason"));
  const parts = converseParts(field(message, "content"));
  const messages = [
    {
      role: textOf(field(message, "role")) ?? "assistant",
      parts,
      ...(finishReason !== undefined && { finish_reason: finishReason }),
    },
  ];
  return definedOnly({
    ...usageAttributes(field(response, "usage")),
    service_tier: textOf(field(field(response, "serviceTier"), "type")),
    finish_reason: finishReason,
    completion_text: completionText(messages),
    completion_messages: message === undefined ? undefined : nonEmpty(messages),
  });
}

/** Bedrock's count of input tokens leaves out those that the cache has read or written. */
function usageAttributes(usage: unknown): ReadAttributes {
  const input = countOf(field(usage, "inputTokens"));
  // The models Nova append `Count` in `InvokeModel`.
  const cached =
    countOf(field(usage, "cacheReadInputTokens")) ?? countOf(field(usage, "cacheReadInputTokenCount"));
  const written =
    countOf(field(usage, "cacheWriteInputTokens")) ?? countOf(field(usage, "cacheWriteInputTokenCount"));
  return {
    tokens_input: input === undefined ? undefined : input + (cached ?? 0) + (written ?? 0),
    tokens_output: countOf(field(usage, "outputTokens")),
    tokens_cached: cached,
    tokens_cache_write: written,
  };
}

function readFailure(response: unknown): ResponseFailure | undefined {
  return failureIn(elementsOf(field(response, "errors")));
}
