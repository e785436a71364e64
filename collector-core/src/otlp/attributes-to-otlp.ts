import type { SpanFacts } from "../span/span-facts.js";
import { isRecord } from "../span/span-facts.js";
import type { KeyValue } from "./proto/opentelemetry/proto/common/v1/common_pb.js";
import { keyValue, textList, textValue, toAnyValue, type ListRoom } from "./any-value.js";

/** Lists the attributes whose value is JSON, because OTLP cannot carry it or only at a great cost (contract 6). */
export const JSON_KEYS = "obspan.json_keys";

/**
 * Attributes as OTLP carries them; what it cannot carry becomes a JSON string, its key listed, and so does a list that
 * is longer than the span has room for.
 */
export function toKeyValues(attributes: Readonly<Record<string, unknown>>, room: ListRoom): KeyValue[] {
  const jsonKeys: string[] = [];
  const converted = Object.entries(attributes).map(([key, value]) => {
    const plain = toAnyValue(value, room);
    if (plain !== undefined) return keyValue(key, plain);
    jsonKeys.push(key);
    return keyValue(key, textValue(JSON.stringify(value)));
  });
  if (jsonKeys.length > 0) converted.push(keyValue(JSON_KEYS, textList(jsonKeys)));
  return converted;
}

/** What we call an attribute, and what OpenTelemetry's conventions for generative AI do (contract 6). */
const CONVENTIONS: readonly (readonly [
  ours: string,
  theirs: string,
  convert?: (value: unknown) => unknown,
])[] = [
  ["tokens_input", "gen_ai.usage.input_tokens"],
  ["tokens_output", "gen_ai.usage.output_tokens"],
  ["tokens_cached", "gen_ai.usage.cache_read.input_tokens"],
  ["tokens_reasoning", "gen_ai.usage.reasoning.output_tokens"],
  ["cost_usd", "gen_ai.usage.cost"],
  ["provider", "gen_ai.provider.name"],
  ["tool_name", "gen_ai.tool.name"],
  ["agent", "gen_ai.agent.name"],
  ["session_id", "gen_ai.conversation.id"],
  ["temperature", "gen_ai.request.temperature"],
  ["max_tokens", "gen_ai.request.max_tokens"],
  ["finish_reason", "gen_ai.response.finish_reasons", (value) => [value]],
  ["prompt_messages", "gen_ai.input.messages", (value) => JSON.stringify(value)],
  ["completion_messages", "gen_ai.output.messages", (value) => JSON.stringify(value)],
  ["tool_definitions", "gen_ai.tool.definitions", (value) => JSON.stringify(value)],
  [
    "ttft_ms",
    "gen_ai.response.time_to_first_chunk",
    (value) => (typeof value === "number" ? value / 1000 : undefined),
  ],
  ["error_type", "error.type"],
];

const OPERATIONS: Readonly<Record<string, string>> = {
  llm: "chat",
  embedding: "embeddings",
  tool: "execute_tool",
  agent: "invoke_agent",
  retrieval: "retrieval",
};

/** What {@link withConventions} adds to a span's own attributes. */
export const CONVENTION_KEYS: ReadonlySet<string> = new Set([
  "gen_ai.operation.name",
  "gen_ai.request.model",
  "gen_ai.response.model",
  ...CONVENTIONS.map(([, theirs]) => theirs),
]);

/** Lists those of {@link CONVENTION_KEYS} that the span itself came with, so that reading it again keeps them. */
export const OWN_KEYS = "obspan.own_keys";
/** What begins so is said by the exporter. A span's own attribute of such a name is written behind {@link ESCAPE}. */
export const RESERVED_PREFIX = "obspan.";
export const ESCAPE = "obspan.attribute.";
/** Marks an event that the exporter made of what the span says already. */
export const DERIVED = "obspan.derived";

/** Attributes under names that cannot be taken for the exporter's own. */
export function escapeReserved(attributes: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [
      key.startsWith(RESERVED_PREFIX) ? ESCAPE + key : key,
      value,
    ]),
  );
}

/** The attributes of a span with those of the conventions beside ours. What the span says itself under them stands. */
export function withConventions(attributes: unknown, facts: SpanFacts): Record<string, unknown> {
  const own = isRecord(attributes) ? escapeReserved(attributes) : {};
  const added: Record<string, unknown> = {};
  const add = (key: string, value: unknown): void => {
    if (value !== undefined && value !== null && !Object.hasOwn(own, key)) added[key] = value;
  };
  add(
    "gen_ai.operation.name",
    Object.hasOwn(OPERATIONS, facts.spanType) ? OPERATIONS[facts.spanType] : undefined,
  );
  // Which of the two it was nobody told us; receivers look at either.
  if (facts.model !== "") {
    add("gen_ai.request.model", facts.model);
    add("gen_ai.response.model", facts.model);
  }
  for (const [ours, theirs, convert = (value: unknown) => value] of CONVENTIONS) {
    if (own[ours] !== undefined && own[ours] !== null) add(theirs, convert(own[ours]));
  }
  const ownKeys = Object.keys(own).filter((key) => CONVENTION_KEYS.has(key));
  if (ownKeys.length > 0) added[OWN_KEYS] = ownKeys;
  // Properties are defined, not assigned: a key may be `__proto__`.
  return Object.fromEntries([...Object.entries(own), ...Object.entries(added)]);
}
