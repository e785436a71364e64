import { jsonInSteps } from "../span/json-in-steps.js";
import { isRecord, type SpanFacts } from "../span/span-facts.js";
import type { Steps } from "../runtime/steps.js";
import { carriedValue, type SpanLimits } from "./any-value.js";
import { JsonChunks } from "./json-chunks.js";
import type { SpanWriter } from "./span-writer.js";

/** Lists the attributes that are written as JSON, because OTLP cannot carry the value or only at a high cost (contract 6). */
export const JSON_KEYS = "obspan.json_keys";
/** A list of JSON objects with the attributes beyond the limits of OTLP attributes. */
export const MORE_ATTRIBUTES = "obspan.more_attributes";
/** A list of JSON lists with the events beyond the limits of OTLP events; they follow those. */
export const MORE_EVENTS = "obspan.more_events";

/** The target of attributes. */
export interface AttributeSink {
  readonly writer: Pick<SpanWriter, "attribute">;
  readonly limits: SpanLimits;
}

/** Attributes per step. */
const ATTRIBUTES_PER_STEP = 500;

/**
 * Writes attributes to OTLP. A value that OTLP cannot carry, and a list beyond the limits of the span, becomes a JSON text
 * whose key is listed in {@link JSON_KEYS}.
 */
export class AttributesToOtlp {
  readonly #jsonKeys: string[] = [];
  #count = 0;

  readonly #sink: AttributeSink;

  constructor(sink: AttributeSink) {
    this.#sink = sink;
  }

  /** Writes an attribute, unless its value is undefined. */
  *add(key: string, value: unknown): Steps<void> {
    if (value === undefined) return;
    const { writer, limits } = this.#sink;
    const carried = carriedValue(value, limits);
    if (carried === undefined) {
      this.#jsonKeys.push(key);
      writer.attribute(key, yield* jsonInSteps(value));
    } else writer.attribute(key, carried);
    limits.entries--;
    if (++this.#count % ATTRIBUTES_PER_STEP === 0 || isLong(value)) yield;
  }

  /** Writes the list of JSON keys. */
  end(): void {
    if (this.#jsonKeys.length > 0) this.#sink.writer.attribute(JSON_KEYS, this.#jsonKeys);
  }
}

/** True for a value that may take long to write. */
function isLong(value: unknown): boolean {
  return typeof value === "string" ? value.length > LONG_TEXT : typeof value === "object";
}

const LONG_TEXT = 64 * 1024;

/** Obspan attributes with their names in OpenTelemetry's conventions for generative AI (contract 6). */
const CONVENTIONS: readonly (readonly [
  ours: string,
  theirs: string,
  convert?: (value: unknown) => unknown,
])[] = [
  ["tokens_input", "gen_ai.usage.input_tokens"],
  ["tokens_output", "gen_ai.usage.output_tokens"],
  ["tokens_cached", "gen_ai.usage.cache_read.input_tokens"],
  ["tokens_cache_write", "gen_ai.usage.cache_creation.input_tokens"],
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

const OPERATIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    llm: "chat",
    embedding: "embeddings",
    tool: "execute_tool",
    agent: "invoke_agent",
    retrieval: "retrieval",
  }),
);

/** Attributes that {@link writeSpanAttributes} adds to those of the span. */
export const CONVENTION_KEYS: ReadonlySet<string> = new Set([
  "gen_ai.operation.name",
  "gen_ai.request.model",
  "gen_ai.response.model",
  ...CONVENTIONS.map(([, theirs]) => theirs),
]);

/** Lists those of {@link CONVENTION_KEYS} that the span itself has, so that an import keeps them. */
export const OWN_KEYS = "obspan.own_keys";
/** Prefix of attributes that the exporter adds. An attribute of the span with this prefix is written behind {@link ESCAPE}. */
export const RESERVED_PREFIX = "obspan.";
export const ESCAPE = "obspan.attribute.";
/** Marks an event that the exporter derives from attributes of the span. */
export const DERIVED = "obspan.derived";

/** The key of an attribute of the span, escaped if it could be confused with one of the exporter. */
export function escapedKey(key: string): string {
  return key.startsWith(RESERVED_PREFIX) ? ESCAPE + key : key;
}

/**
 * Writes the attributes of a span, and their copies under the names of the conventions. An attribute that the span itself
 * has under such a name takes precedence and is always an OTLP attribute. Others beyond the limits are written as JSON.
 */
export function* writeSpanAttributes(
  attributes: unknown,
  facts: SpanFacts,
  sink: AttributeSink,
): Steps<AttributesToOtlp> {
  const own = isRecord(attributes) ? attributes : {};
  const written = new AttributesToOtlp(sink);
  const more = new JsonChunks("object");
  const ownKeys: string[] = [];
  for (const key of Object.keys(own)) {
    const value = own[key];
    if (CONVENTION_KEYS.has(key)) ownKeys.push(key);
    else if (sink.limits.entries <= 0) {
      yield* more.add(value, key);
      continue;
    }
    yield* written.add(escapedKey(key), value);
  }
  for (const [key, value] of conventionsOf(own, facts)) yield* written.add(key, value);
  if (ownKeys.length > 0) yield* written.add(OWN_KEYS, ownKeys);
  if (!more.isEmpty) sink.writer.attribute(MORE_ATTRIBUTES, more.take());
  return written;
}

/** Attributes under the names of the conventions, except for names that the span itself has. */
function conventionsOf(own: Readonly<Record<string, unknown>>, facts: SpanFacts): [string, unknown][] {
  const added: [string, unknown][] = [];
  const add = (key: string, value: unknown): void => {
    if (!isAbsent(value) && !Object.hasOwn(own, key)) added.push([key, value]);
  };
  add("gen_ai.operation.name", OPERATIONS.get(facts.spanType));
  // Unknown whether it is the requested or the responding model; receivers read either.
  if (facts.model !== "") {
    add("gen_ai.request.model", facts.model);
    add("gen_ai.response.model", facts.model);
  }
  for (const [ours, theirs, convert = (value: unknown) => value] of CONVENTIONS) {
    if (!isAbsent(own[ours])) add(theirs, convert(own[ours]));
  }
  return added;
}

/** True for a value that JSON writes as null or omits, such as the number 1e400. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "number" && !Number.isFinite(value));
}
