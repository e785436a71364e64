import type { SpanFacts } from "../span/span-facts.js";
import { isRecord } from "../span/span-facts.js";
import type { Steps } from "../runtime/steps.js";
import { carriedValue, type SpanRoom } from "./any-value.js";
import { JsonChunks } from "./json-chunks.js";
import { jsonText } from "./json-pieces.js";
import type { SpanWriter } from "./span-writer.js";

/** Lists the attributes whose value is JSON, because OTLP cannot carry it or only at a great cost (contract 6). */
export const JSON_KEYS = "obspan.json_keys";
/** Lists JSON objects of the attributes that the span has no room for as attributes of OTLP. */
export const MORE_ATTRIBUTES = "obspan.more_attributes";
/** Lists JSON lists of the events that the span has no room for as events of OTLP: they come after those. */
export const MORE_EVENTS = "obspan.more_events";

/** Where attributes are written to. */
export interface AttributeSink {
  readonly writer: Pick<SpanWriter, "attribute">;
  readonly room: SpanRoom;
}

/** Attributes that are written without a pause. */
const WRITTEN_AT_ONCE = 500;

/**
 * Attributes as OTLP carries them. What it cannot carry becomes a JSON text, its key listed, and so does a list that is
 * longer than the span has room for.
 */
export class AttributesToOtlp {
  readonly #jsonKeys: string[] = [];
  #count = 0;

  constructor(private readonly sink: AttributeSink) {}

  /** Writes one attribute; undefined is none. */
  *add(key: string, value: unknown): Steps<void> {
    if (value === undefined) return;
    const { writer, room } = this.sink;
    const carried = carriedValue(value, room);
    if (carried === undefined) {
      this.#jsonKeys.push(key);
      writer.attribute(key, yield* jsonText(value));
    } else writer.attribute(key, carried);
    room.entries--;
    if (++this.#count % WRITTEN_AT_ONCE === 0 || isLong(value)) yield;
  }

  /** Writes what says how to read the others. */
  end(): void {
    if (this.#jsonKeys.length > 0) this.sink.writer.attribute(JSON_KEYS, this.#jsonKeys);
  }
}

/** A text or a value of a length that takes a while to write. */
function isLong(value: unknown): boolean {
  return typeof value === "string" ? value.length > LONG_TEXT : typeof value === "object";
}

const LONG_TEXT = 64 * 1024;

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

/** What {@link writeSpanAttributes} adds to a span's own attributes. */
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

/** The name under which a span's own attribute is written, which cannot be taken for the exporter's own. */
export function escapedKey(key: string): string {
  return key.startsWith(RESERVED_PREFIX) ? ESCAPE + key : key;
}

/**
 * Writes the attributes of a span, and those of the conventions beside ours. What the span says itself under their names
 * stands, and is always an attribute of OTLP; of the others, those that there is no room for are JSON.
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
    else if (sink.room.entries <= 0) {
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

/** What the conventions have names for, but for what the span says itself under them. */
function conventionsOf(own: Readonly<Record<string, unknown>>, facts: SpanFacts): [string, unknown][] {
  const added: [string, unknown][] = [];
  const add = (key: string, value: unknown): void => {
    if (value !== undefined && value !== null && !Object.hasOwn(own, key)) added.push([key, value]);
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
  return added;
}
