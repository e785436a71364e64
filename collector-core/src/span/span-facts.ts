import type { Span } from "@obspan/sdk/wire";
import { evaluationTypeName } from "../api-schema/evaluation-types.js";
import { contentFlagsOf } from "./content-flags.js";
import { errorCategoryOf, type ErrorCategory } from "./error-category.js";
import { copyText, truncateCodePoints } from "./kept-text.js";
import { isWellFormed } from "./well-formed.js";
import { addMs, elapsedMs, fromEpochMs, parseTimestamp, type Instant } from "./timestamp.js";

/** Fields shared by all spans of a batch. */
export interface BatchContext {
  /** `""` if multi-tenancy is off. */
  readonly tenant: string;
  readonly service: string;
  readonly env: string;
  readonly version: string | undefined;
  /** Wall clock at receipt, in milliseconds since the Unix epoch. */
  readonly receivedAtMs: number;
}

/**
 * Validated fields of a span that the pipeline needs, read once. Invalid values are absent (contract 1). Texts stay in the
 * span.
 */
export interface SpanFacts {
  readonly traceId: string;
  /** As sent, or generated before the batch was queued. */
  readonly spanId: string;
  /** `""` if the span has no parent. */
  readonly parentSpanId: string;
  /** At most 256 characters. */
  readonly name: string;
  readonly spanType: string;
  readonly status: string;
  /** Started and not ended: shown live, in no span metric, never exported or evaluated. */
  readonly isRunning: boolean;
  readonly start: Instant;
  /** As sent, or start plus duration; absent if unknown, and on a running span. */
  readonly end: Instant | undefined;
  /** Absent if unknown, and on a running span. */
  readonly durationMs: number | undefined;
  /** `""` if absent, like the labels below: the value of an absent label (contract 4). */
  readonly model: string;
  readonly provider: string;
  readonly toolName: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly userId: string;
  /** The prompt that the span used, with its version. */
  readonly promptName: string;
  readonly promptVersion: string;
  /** Type of an evaluation span, up to the colon (contract 8); `""` on other spans. */
  readonly evaluationType: string;
  /** Category of the error for the `error_type` label; `""` if there is no error. */
  readonly errorCategory: ErrorCategory | "";
  readonly errorPropagated: boolean;
  readonly tokensInput: number | undefined;
  readonly tokensOutput: number | undefined;
  /** Cached tokens, out of the input tokens. */
  readonly tokensCached: number | undefined;
  /** Tokens written to the cache, out of the input tokens. */
  readonly tokensCacheWrite: number | undefined;
  /** Tokens of the reasoning, out of the output tokens. */
  readonly tokensReasoning: number | undefined;
  readonly costUsd: number | undefined;
  /** Who knew the cost: the sender, or a collector; undefined without a cost. */
  readonly costSource: CostSource | undefined;
  readonly ttftMs: number | undefined;
  /** Score of an evaluation span, from 0 to 1 (contract 8); absent on other spans. */
  readonly evaluationScore: number | undefined;
  /** See `CONTENT`. */
  readonly contentFlags: number;
}

/** The sender reported the cost, or a collector computed it from the price of the model. */
export type CostSource = "reported" | "computed";

/** Called for each field with an invalid value (`obs_invalid_values_total{field}`). */
export type OnInvalidValue = (field: string) => void;

/** Characters of `name` that are kept (contract 1). */
export const MAX_NAME_LENGTH = 256;
/** Longest `span_id` and `parent_span_id` (contract 1). */
const MAX_SPAN_ID_LENGTH = 64;
/** Longest times in milliseconds, and largest cost in USD. A larger one would hide all others in a sum. */
const MAX_AMOUNT = 1e9;
/** Maximum code points of a value that becomes a label and appears in lists. */
export const MAX_LABEL_LENGTH = 256;

/**
 * Reads the facts of a validated span, which has `name` and `trace_id`.
 *
 * @param generatedSpanId - the generated id of a span that arrived without a valid one.
 */
export function readSpanFacts(
  span: Span,
  context: BatchContext,
  generatedSpanId: string | undefined,
  onInvalid: OnInvalidValue,
): SpanFacts {
  const attributes: Record<string, unknown> = isRecord(span.attributes) ? span.attributes : NO_ATTRIBUTES;
  if (attributes === NO_ATTRIBUTES && span.attributes != null) onInvalid("attributes");

  const status = stringOr(span.status, "OK", "status", onInvalid);
  const isRunning = status === "RUNNING";
  const spanType = stringOr(span.span_type, "span", "span_type", onInvalid);
  const times = readSpanTimes(span, context.receivedAtMs, isRunning, onInvalid);
  const errorType = label(attributes["error_type"], "error_type", onInvalid);
  const spanId = generatedSpanId ?? span.span_id ?? "";
  if (generatedSpanId !== undefined && span.span_id != null && (span.span_id as unknown) !== "")
    onInvalid("span_id");
  const reportedUsd = amount(attributes["cost_usd"], "cost_usd", onInvalid);
  const costUsd = reportedUsd ?? amount(span.computed_cost_usd, "computed_cost_usd", onInvalid);
  if (span.events != null && !Array.isArray(span.events)) onInvalid("events");

  return {
    traceId: span.trace_id,
    spanId,
    parentSpanId: readParentSpanId(span, spanId, onInvalid),
    name: truncateCodePoints(span.name, MAX_NAME_LENGTH),
    spanType,
    status,
    isRunning,
    start: times.start,
    end: times.end,
    durationMs: times.durationMs,
    model: label(attributes["model"], "model", onInvalid),
    provider: label(attributes["provider"], "provider", onInvalid),
    toolName: label(attributes["tool_name"], "tool_name", onInvalid),
    agent: label(attributes["agent"], "agent", onInvalid),
    sessionId: idLabel(attributes["session_id"], "session_id", onInvalid),
    userId: idLabel(attributes["user_id"], "user_id", onInvalid),
    promptName: label(attributes["prompt_name"], "prompt_name", onInvalid),
    promptVersion: idLabel(attributes["prompt_version"], "prompt_version", onInvalid),
    evaluationType: spanType === "evaluation" ? evaluationTypeOf(attributes["evaluation_type"]) : "",
    errorCategory: status === "ERROR" ? errorCategoryOf(errorType, attributes) : "",
    errorPropagated: span.error_propagated === true,
    tokensInput: tokenCount(attributes["tokens_input"], "tokens_input", onInvalid),
    tokensOutput: tokenCount(attributes["tokens_output"], "tokens_output", onInvalid),
    tokensCached: tokenCount(attributes["tokens_cached"], "tokens_cached", onInvalid),
    tokensCacheWrite: tokenCount(attributes["tokens_cache_write"], "tokens_cache_write", onInvalid),
    tokensReasoning: tokenCount(attributes["tokens_reasoning"], "tokens_reasoning", onInvalid),
    costUsd,
    costSource: reportedUsd !== undefined ? "reported" : costUsd === undefined ? undefined : "computed",
    ttftMs: amount(attributes["ttft_ms"], "ttft_ms", onInvalid),
    evaluationScore: spanType === "evaluation" ? score(attributes["evaluation_score"], onInvalid) : undefined,
    contentFlags: contentFlagsOf(span),
  };
}

const NO_ATTRIBUTES: Record<string, unknown> = Object.freeze({});

/** Fields that {@link readSpanFacts} reads, besides ids and attributes. */
const FACT_FIELDS = [
  "name",
  "span_type",
  "status",
  "start_time",
  "end_time",
  "duration_ms",
  "error_propagated",
  "computed_cost_usd",
] as const;
const CHECKED = [
  "model",
  "provider",
  "tool_name",
  "agent",
  "session_id",
  "user_id",
  "prompt_name",
  "prompt_version",
  "error_type",
  "tokens_input",
  "tokens_output",
  "tokens_cached",
  "tokens_cache_write",
  "tokens_reasoning",
  "cost_usd",
  "ttft_ms",
] as const;
/** Validated attributes. An invalid one is left out of responses (contract 1). */
export const CHECKED_ATTRIBUTES: ReadonlySet<string> = new Set(CHECKED);
/** Attributes that {@link readSpanFacts} reads. */
const FACT_ATTRIBUTES = [
  ...CHECKED,
  "error_message",
  "http.response.status_code",
  "evaluation_type",
  "evaluation_score",
] as const;

/** True if {@link readSpanFacts} reads the same values from two spans with equal ids. */
export function haveEqualFactSources(a: Span, b: Span): boolean {
  for (const field of FACT_FIELDS) if (a[field] !== b[field]) return false;
  const attributesA: unknown = a.attributes;
  const attributesB: unknown = b.attributes;
  if (attributesA === attributesB) return true;
  if (!isRecord(attributesA) || !isRecord(attributesB)) return false;
  for (const key of FACT_ATTRIBUTES) if (attributesA[key] !== attributesB[key]) return false;
  return true;
}

/** Start, end and duration of a span. */
export interface SpanTimes {
  readonly start: Instant;
  readonly end: Instant | undefined;
  readonly durationMs: number | undefined;
}

/**
 * Start and duration by contract 1: `end_time` defaults to start + duration, and with neither time the span ended
 * when it arrived.
 */
function readSpanTimes(
  span: Span,
  receivedAtMs: number,
  isRunning: boolean,
  onInvalid: OnInvalidValue,
): SpanTimes {
  const start = timestamp(span.start_time, "start_time", onInvalid);
  let end = timestamp(span.end_time, "end_time", onInvalid);
  let durationMs = amount(span.duration_ms, "duration_ms", onInvalid);
  if (start !== undefined && end !== undefined) {
    const betweenMs = elapsedMs(start, end);
    if (betweenMs < 0 || betweenMs > MAX_AMOUNT) {
      onInvalid("end_time");
      end = undefined;
    } else {
      durationMs ??= betweenMs;
    }
  }
  if (isRunning)
    return { start: start ?? end ?? arrival(receivedAtMs), end: undefined, durationMs: undefined };
  if (start !== undefined) {
    if (end === undefined && durationMs !== undefined) end = addMs(start, durationMs);
    return { start, end, durationMs };
  }
  const endOrArrival = end ?? arrival(receivedAtMs);
  const back = addMs(endOrArrival, -(durationMs ?? 0));
  return {
    start: back.epochMs >= 0 ? back : EPOCH,
    end: durationMs === undefined ? end : endOrArrival,
    durationMs,
  };
}

const EPOCH: Instant = { epochMs: 0, nanos: 0 };

function arrival(receivedAtMs: number): Instant {
  return fromEpochMs(receivedAtMs) ?? EPOCH;
}

/** Longest `trace_id`, in characters (contract 1). */
export const MAX_TRACE_ID_LENGTH = 128;

/** True for a valid trace id. Invalid ids are never truncated, which would merge traces. */
export function isUsableTraceId(value: unknown): value is string {
  return (
    typeof value === "string" && value !== "" && !isLonger(value, MAX_TRACE_ID_LENGTH) && isWellFormed(value)
  );
}

/** Compares the length in code points: an emoji counts as one. */
function isLonger(text: string, max: number): boolean {
  return text.length > max && truncateCodePoints(text, max).length < text.length;
}

/** True for a valid span id. The collector generates one for a span without. */
export function isUsableSpanId(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value.length >= 1 &&
    value.length <= MAX_SPAN_ID_LENGTH &&
    isWellFormed(value)
  );
}

function readParentSpanId(span: Span, spanId: string, onInvalid: OnInvalidValue): string {
  const parent = span.parent_span_id;
  // A span that is its own parent has no parent: it would be a wrapper around itself.
  if (parent == null || parent === "" || parent === spanId) return "";
  if (isUsableSpanId(parent)) return parent;
  onInvalid("parent_span_id");
  return "";
}

function timestamp(value: unknown, field: string, onInvalid: OnInvalidValue): Instant | undefined {
  if (value == null) return undefined;
  const instant = parseTimestamp(value);
  if (instant === undefined) onInvalid(field);
  return instant;
}

function stringOr(value: unknown, fallback: string, field: string, onInvalid: OnInvalidValue): string {
  if (value == null || value === "") return fallback;
  if (typeof value === "string") return truncateCodePoints(value, MAX_LABEL_LENGTH);
  onInvalid(field);
  return fallback;
}

function label(value: unknown, field: string, onInvalid: OnInvalidValue): string {
  if (value == null) return "";
  if (typeof value === "string") return truncateCodePoints(value, MAX_LABEL_LENGTH);
  onInvalid(field);
  return "";
}

/** A label that may be a whole number, such as the id of a user or the version of a prompt. */
function idLabel(value: unknown, field: string, onInvalid: OnInvalidValue): string {
  return Number.isSafeInteger(value) ? String(value) : label(value, field, onInvalid);
}

/** `criteria:<own text>` and `length:1-80` are of the types `criteria` and `length`. */
function evaluationTypeOf(value: unknown): string {
  if (typeof value !== "string") return "";
  const name = evaluationTypeName(value);
  return truncateCodePoints(name.length < value.length ? copyText(name) : name, MAX_LABEL_LENGTH);
}

function tokenCount(value: unknown, field: string, onInvalid: OnInvalidValue): number | undefined {
  if (value == null) return undefined;
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  onInvalid(field);
  return undefined;
}

function amount(value: unknown, field: string, onInvalid: OnInvalidValue): number | undefined {
  if (value == null) return undefined;
  if (isAmount(value)) return value;
  onInvalid(field);
  return undefined;
}

/** Whether a value is a cost, or a time in milliseconds, that counts. */
export function isAmount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= MAX_AMOUNT;
}

function score(value: unknown, onInvalid: OnInvalidValue): number | undefined {
  if (value == null) return undefined;
  if (typeof value === "number" && value >= 0 && value <= 1) return value;
  onInvalid("evaluation_score");
  return undefined;
}

/** True for an object that is not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
