import { ERROR_CATEGORIES, type ErrorCategory } from "./error-category.js";
import { truncateCodePoints } from "./kept-text.js";
import { isRecord, MAX_LABEL_LENGTH } from "./span-facts.js";
import { parseTimestamp } from "./timestamp.js";

/**
 * What a trace shows and its stored spans no longer tell: that earlier spans were evicted, and the totals of the spans that
 * the cap dropped. JSON, as a file of `GET /v1/export` carries it.
 */
export interface TraceRemains {
  readonly partial?: true;
  readonly session_id?: string;
  readonly user_id?: string;
  readonly dropped?: DroppedRemains;
}

/** Totals of dropped spans. */
export interface DroppedRemains {
  /** Number of dropped spans, at least 1. */
  readonly count: number;
  readonly tokens_input: number;
  readonly tokens_output: number;
  readonly cost_usd: number;
  /** A collector computed some of it. */
  readonly cost_computed?: true;
  readonly llm_calls: number;
  readonly tool_calls: number;
  readonly error_count: number;
  readonly models: readonly string[];
  readonly providers: readonly string[];
  readonly tools: readonly string[];
  readonly prompts: readonly string[];
  readonly agent: string;
  /** Category of the first error, or `""`. */
  readonly error_type: ErrorCategory | "";
  /** RFC 3339: the earliest start. */
  readonly start_time: string;
  /** From the earliest start to the latest end. */
  readonly duration_ms: number;
  readonly ttft_ms?: number;
  /** From `start_time` to the start of the call with `ttft_ms`. */
  readonly ttft_after_ms?: number;
  /** The root, if it was dropped. */
  readonly root?: RootRemains;
}

/** The fields of a dropped root that the summary of its trace shows. */
export interface RootRemains {
  readonly service: string;
  readonly env: string;
  readonly version?: string;
  readonly name: string;
  readonly span_type: string;
  readonly status: string;
  readonly start_time: string;
  readonly agent: string;
  /** Category of its error, or `""`. */
  readonly error_type: ErrorCategory | "";
  readonly input_text?: string;
  readonly output_text?: string;
}

/** Models kept of dropped spans. */
const MAX_DROPPED_MODELS = 100;
/** Providers, tools and prompts kept of dropped spans. */
const MAX_VALUES = 20;
/** More spans than one trace has in a lifetime: a file cannot claim absurd totals. */
const MAX_COUNT = 1e9;
/** A preview has 200 characters (contract 3). */
const MAX_TEXT_LENGTH = 1000;
/** 9999-12-31T23:59:59.999Z. */
const MAX_EPOCH_MS = 253_402_300_799_999;

/** Validates remains from a file. @returns undefined if a part of them is invalid: they are ignored as a whole. */
export function readTraceRemains(value: unknown): TraceRemains | undefined {
  if (!isRecord(value)) return undefined;
  try {
    const session = optional(value["session_id"], labelOf);
    const user = optional(value["user_id"], labelOf);
    const dropped = optional(value["dropped"], readDropped);
    return {
      ...(value["partial"] === true && { partial: true }),
      ...(session !== undefined && { session_id: session }),
      ...(user !== undefined && { user_id: user }),
      ...(dropped !== undefined && { dropped }),
    };
  } catch (error) {
    if (error instanceof InvalidRemains) return undefined;
    throw error;
  }
}

class InvalidRemains extends Error {}

function readDropped(value: unknown): DroppedRemains {
  if (!isRecord(value)) throw new InvalidRemains();
  const count = integerOf(value["count"], MAX_COUNT);
  if (count < 1) throw new InvalidRemains();
  const calls = {
    llm_calls: integerOf(value["llm_calls"], count),
    tool_calls: integerOf(value["tool_calls"], count),
  };
  // A span is one call at most.
  if (calls.llm_calls + calls.tool_calls > count) throw new InvalidRemains();
  const durationMs = amountOf(value["duration_ms"]);
  const start = timeOf(value["start_time"]);
  if ((parseTimestamp(start)?.epochMs ?? 0) + durationMs > MAX_EPOCH_MS) throw new InvalidRemains();
  const ttftMs = optional(value["ttft_ms"], amountOf);
  const ttftAfterMs = optional(value["ttft_after_ms"], amountOf);
  const root = optional(value["root"], readRoot);
  return {
    count,
    ...calls,
    error_count: integerOf(value["error_count"], count),
    tokens_input: integerOf(value["tokens_input"], Number.MAX_SAFE_INTEGER),
    tokens_output: integerOf(value["tokens_output"], Number.MAX_SAFE_INTEGER),
    cost_usd: amountOf(value["cost_usd"]),
    ...(value["cost_computed"] === true && { cost_computed: true }),
    models: labelsOf(value["models"], MAX_DROPPED_MODELS),
    providers: labelsOf(value["providers"], MAX_VALUES),
    tools: labelsOf(value["tools"], MAX_VALUES),
    prompts: labelsOf(value["prompts"], MAX_VALUES),
    agent: labelOf(value["agent"]),
    error_type: categoryOf(value["error_type"]),
    start_time: start,
    duration_ms: durationMs,
    ...(ttftMs !== undefined && ttftAfterMs !== undefined && { ttft_ms: ttftMs, ttft_after_ms: ttftAfterMs }),
    ...(root !== undefined && { root }),
  };
}

function readRoot(value: unknown): RootRemains {
  if (!isRecord(value)) throw new InvalidRemains();
  const version = optional(value["version"], labelOf);
  const input = optional(value["input_text"], textOf);
  const output = optional(value["output_text"], textOf);
  return {
    service: labelOf(value["service"]),
    env: labelOf(value["env"]),
    ...(version !== undefined && { version }),
    name: labelOf(value["name"]),
    span_type: labelOf(value["span_type"]),
    status: labelOf(value["status"]),
    start_time: timeOf(value["start_time"]),
    agent: labelOf(value["agent"]),
    error_type: categoryOf(value["error_type"]),
    ...(input !== undefined && { input_text: input }),
    ...(output !== undefined && { output_text: output }),
  };
}

function optional<T>(value: unknown, read: (value: unknown) => T): T | undefined {
  return value === undefined || value === null ? undefined : read(value);
}

function integerOf(value: unknown, max: number): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= max)
    return value as number;
  throw new InvalidRemains();
}

function amountOf(value: unknown): number {
  if (typeof value === "number" && value >= 0 && Number.isFinite(value)) return value;
  throw new InvalidRemains();
}

function timeOf(value: unknown): string {
  if (typeof value === "string" && parseTimestamp(value) !== undefined) return value;
  throw new InvalidRemains();
}

function categoryOf(value: unknown): ErrorCategory | "" {
  if (value === "") return value;
  const category = ERROR_CATEGORIES.find((each) => each === value);
  if (category === undefined) throw new InvalidRemains();
  return category;
}

function labelOf(value: unknown): string {
  if (typeof value === "string") return truncateCodePoints(value, MAX_LABEL_LENGTH);
  throw new InvalidRemains();
}

function textOf(value: unknown): string {
  if (typeof value === "string") return truncateCodePoints(value, MAX_TEXT_LENGTH);
  throw new InvalidRemains();
}

function labelsOf(value: unknown, max: number): string[] {
  if (!Array.isArray(value)) throw new InvalidRemains();
  return (value as unknown[]).slice(0, max).map(promptOf);
}

/** A prompt is a name with a version: two labels. */
function promptOf(value: unknown): string {
  if (typeof value === "string") return truncateCodePoints(value, 2 * MAX_LABEL_LENGTH + 1);
  throw new InvalidRemains();
}
