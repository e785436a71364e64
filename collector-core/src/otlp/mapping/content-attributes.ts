import type { JsonValue, KnownSpanType } from "@obspan/sdk/wire";
import { isRecord } from "../../span/span-facts.js";
import type { JsonTexts } from "../json-texts.js";
import { asRecord, asText, type AttributeSet } from "./attribute-set.js";
import { asPlainText, type Content } from "./content.js";
import { keyGroup, type KeyGroup } from "./key-groups.js";
import { toMessages } from "./messages.js";

/** Mastra has the span type in the names of input and output. */
const MASTRA_TYPES = [
  "agent_run",
  "model_generation",
  "model_step",
  "model_inference",
  "model_chunk",
  "tool_call",
  "mcp_tool_call",
  "processor_run",
  "workflow_run",
  "workflow_step",
  "workflow_conditional",
  "workflow_conditional_eval",
  "workflow_parallel",
  "workflow_loop",
  "generic",
];
/** Input attributes in order of precedence. Tools, retrievals and embeddings have groups of their own that come first. */
const INPUT = keyGroup([
  "gen_ai.prompt",
  "ai.prompt",
  "input.value",
  "langfuse.observation.input",
  "traceloop.entity.input",
  "gcp.vertex.agent.llm_request",
  "pydantic_ai.all_messages",
  "all_messages_events",
  "request_data",
  "mastra.span.input",
  ...MASTRA_TYPES.map((type) => `mastra.${type}.input`),
  "genkit:input",
  "ai.value",
  "ai.values",
  "llm.messages",
  "lmnr.span.input",
  "input",
  // The parameter schema of a tool, used only if there is no input.
  "tool.parameters",
]);
const OUTPUT = keyGroup([
  "gen_ai.completion",
  "output.value",
  "langfuse.observation.output",
  "traceloop.entity.output",
  "gcp.vertex.agent.llm_response",
  "final_result",
  "response_data",
  "mastra.span.output",
  ...MASTRA_TYPES.map((type) => `mastra.${type}.output`),
  "genkit:output",
  "lmnr.span.output",
  "output",
]);
const TOOL_INPUT = keyGroup([
  "gen_ai.tool.call.arguments",
  "ai.toolCall.args",
  "ai.toolCall.input",
  "gcp.vertex.agent.tool_call_args",
  "tool_arguments",
]);
const TOOL_OUTPUT = keyGroup([
  "gen_ai.tool.call.result",
  "ai.toolCall.result",
  "ai.toolCall.output",
  "gcp.vertex.agent.tool_response",
  "tool_response",
]);
const RETRIEVAL_INPUT = keyGroup(["gen_ai.retrieval.query.text", "reranker.query", "db.query.text"]);
const EMBEDDING_INPUT = keyGroup(["embedding.embeddings.0.embedding.text", "embedding.text"]);

/** Takes the input of a span from attributes that are messages or text. */
export function takeInput(attributes: AttributeSet, spanType: KnownSpanType): Content | undefined {
  const own = OWN_INPUT[spanType];
  const found = own === undefined ? undefined : takeFirst(attributes, own, spanType, "user");
  return found ?? takeFirst(attributes, INPUT, spanType, "user");
}

/** Takes the output of a span from attributes that are messages or text. */
export function takeOutput(attributes: AttributeSet, spanType: KnownSpanType): Content | undefined {
  const found = spanType === "tool" ? takeFirst(attributes, TOOL_OUTPUT, spanType, "assistant") : undefined;
  return found ?? takeFirst(attributes, OUTPUT, spanType, "assistant");
}

const OWN_INPUT: Readonly<Partial<Record<KnownSpanType, KeyGroup>>> = {
  tool: TOOL_INPUT,
  retrieval: RETRIEVAL_INPUT,
  embedding: EMBEDDING_INPUT,
};

function takeFirst(
  attributes: AttributeSet,
  group: KeyGroup,
  spanType: KnownSpanType,
  role: string,
): Content | undefined {
  if (!attributes.mayHave(group)) return undefined;
  for (const key of group.keys) {
    const value = attributes.get(key);
    if (value === undefined || value === null || value === "") continue;
    attributes.delete(key);
    // Only the input of a model call is parsed as messages: a tool may have any argument.
    const messages =
      spanType === "llm"
        ? toMessages(withInnerMessage(value, attributes.texts), role, attributes.texts)
        : undefined;
    return messages === undefined ? { text: asPlainText(value) } : { messages };
  }
  return undefined;
}

/** Logfire and Genkit keep an answer as `{"message":{…},"usage":{…}}`. */
function withInnerMessage(value: JsonValue, texts: JsonTexts): unknown {
  const record = asRecord(value, texts);
  if (record === undefined || !isRecord(record["message"])) return value;
  const reason = asText(record["finishReason"]);
  return reason === undefined ? record["message"] : { ...record["message"], finish_reason: reason };
}
