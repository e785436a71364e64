import {
  capturesCompletion,
  capturesPrompt,
  stringifyValue,
  type SpanAttributes,
} from "../../capture/integration.js";
import { countOf, elementsOf, field, fieldsOf, textOf } from "../json-fields.js";
import { definedOnly } from "../model-client/read-attributes.js";
import { openaiChat } from "../wire/openai-chat.js";
import { openaiResponses } from "../wire/openai-responses.js";

/** The type of a span and its name, as far as they are known. The data of some spans is complete only at their end. */
export function identityOf(data: unknown): { spanType: string; name: string } {
  const type = textOf(field(data, "type")) ?? "span";
  const name = textOf(field(data, "name")) ?? type;
  switch (type) {
    case "agent":
      return { spanType: "agent", name };
    case "function":
      return { spanType: "tool", name };
    case "response":
    case "generation": {
      const model = textOf(field(field(data, "_response"), "model")) ?? textOf(field(data, "model"));
      return { spanType: "llm", name: model === undefined ? "chat" : `chat ${model}` };
    }
    case "turn":
      return { spanType: "task", name: `turn ${countOf(field(data, "turn")) ?? ""}`.trim() };
    case "handoff": {
      const to = textOf(field(data, "to_agent"));
      return { spanType: "task", name: to === undefined ? "handoff" : `handoff to ${to}` };
    }
    case "mcp_tools":
      return { spanType: "task", name: `list tools ${textOf(field(data, "server")) ?? ""}`.trim() };
    case "task":
    case "guardrail":
      return { spanType: "task", name };
    default:
      return { spanType: "span", name };
  }
}

/** What the data of a span says. */
export function attributesOf(data: unknown): SpanAttributes {
  switch (field(data, "type")) {
    case "response":
      return responseAttributes(data);
    case "generation":
      return generationAttributes(data);
    case "function":
      return definedOnly({
        input_text: capturesPrompt() ? stringifyValue(field(data, "input")) : undefined,
        output_text: capturesCompletion() ? stringifyValue(field(data, "output")) : undefined,
        mcp_data: capturesPrompt() ? textOf(field(data, "mcp_data")) : undefined,
      });
    case "turn":
    case "task":
      return totalUsage(field(data, "usage"));
    case "agent":
      return definedOnly({
        handoffs: field(data, "handoffs"),
        tools: field(data, "tools"),
        output_type: field(data, "output_type"),
      });
    case "handoff":
      return definedOnly({ from_agent: field(data, "from_agent"), to_agent: field(data, "to_agent") });
    case "guardrail":
      return { guardrail_triggered: field(data, "triggered") };
    case "mcp_tools":
      return definedOnly({ mcp_server: field(data, "server"), tools: field(data, "result") });
    case "custom":
      return { output_text: capturesCompletion() ? stringifyValue(field(data, "data")) : undefined };
    default:
      return definedOnly({ model: textOf(field(data, "model")) });
  }
}

/** The tokens of a turn, for a model call that reports none. */
export function turnTokens(data: unknown): SpanAttributes {
  const usage = field(data, "usage");
  return definedOnly({
    tokens_input: countOf(field(usage, "input_tokens")),
    tokens_output: countOf(field(usage, "output_tokens")),
    tokens_cached: countOf(field(usage, "cached_input_tokens")),
    tokens_cache_write: countOf(field(usage, "cache_write_input_tokens")) || undefined,
  });
}

/** A turn and a task repeat the usage of the model calls in them: it is shown, and not counted. */
function totalUsage(usage: unknown): SpanAttributes {
  return definedOnly({
    usage_total_tokens_input: countOf(field(usage, "input_tokens")),
    usage_total_tokens_output: countOf(field(usage, "output_tokens")),
    usage_total_tokens_cached: countOf(field(usage, "cached_input_tokens")),
  });
}

function responseAttributes(data: unknown): SpanAttributes {
  const response = field(data, "_response");
  const input = field(data, "_input");
  // A response repeats the parameters of its request.
  const request = { ...fieldsOf(response), input: Array.isArray(input) ? input.map(wireItem) : input };
  const failure = openaiResponses.readFailure?.(response);
  return {
    provider: "openai",
    ...openaiResponses.readRequest(request),
    ...openaiResponses.readResponse(response),
    ...definedOnly({ error_type: failure?.type, error_message: failure?.message }),
    response_id: textOf(field(data, "response_id")) ?? textOf(field(response, "id")),
  };
}

function generationAttributes(data: unknown): SpanAttributes {
  const [response] = elementsOf(field(data, "output"));
  const config = fieldsOf(field(data, "model_config"));
  const usage = field(data, "usage");
  const request = { ...config, model: field(data, "model"), messages: field(data, "input") };
  return {
    provider: "openai",
    ...openaiChat.readRequest(request),
    ...definedOnly({
      tokens_input: countOf(field(usage, "input_tokens")),
      tokens_output: countOf(field(usage, "output_tokens")),
    }),
    ...openaiChat.readResponse(response),
  };
}

/** An item of the Agents SDK as an item of OpenAI's API, which names the id of a call and the result of a tool differently. */
function wireItem(item: unknown): unknown {
  const type = textOf(field(item, "type"));
  if (type === undefined || type === "message") return item;
  const output = field(item, "output");
  return {
    ...fieldsOf(item),
    type: type.replace(/_result$/, "_output"),
    call_id: field(item, "callId"),
    output: field(output, "text") ?? output,
  };
}
