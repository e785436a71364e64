import type { Span } from "@obspan/sdk/wire";
import { ApiError, type ErrorCode } from "../api-schema/errors.js";
import { truncateCodePoints } from "../span/kept-text.js";
import { isRecord, isUsableTraceId, MAX_TRACE_ID_LENGTH } from "../span/span-facts.js";
import { isWellFormed } from "../span/well-formed.js";
import { isTooDeep, MAX_DEPTH } from "./parse-json.js";

/** A validated batch (contract 1). */
export interface ValidBatch {
  readonly service: string;
  readonly env: string;
  readonly version: string | undefined;
  /** Undefined if missing or unusable. */
  readonly batchId: string | undefined;
  /** Fields with an unusable value, which are ignored. */
  readonly unusableFields: readonly string[];
  readonly spans: readonly Span[];
}

/** Maximum length of `batch_id` (contract 1). */
const MAX_BATCH_ID_LENGTH = 64;
/** Maximum code points of `service`, `env` and `version`, as for the name of a span: every list shows them. */
export const MAX_CONTEXT_LENGTH = 256;

/** The error of a refused batch, with its number of spans (contract 4, "The ledger"). */
export class RefusedBatch extends ApiError {
  constructor(
    code: ErrorCode,
    message: string,
    readonly spanCount: number,
    details?: Record<string, string | number>,
  ) {
    super(code, message, details);
  }
}

/**
 * Validates a parsed body. Hand-written for speed; a test compares it with `SpanBatchSchema`. A wrong shape refuses the
 * whole batch. Unusable values are removed later, one by one.
 *
 * @param maxSpans - `limits.max_queue_size`: a larger batch is refused before its spans are checked.
 * @throws `RefusedBatch` with the field and the index of the span, without quoting the body.
 */
export function validateBatch(body: unknown, maxSpans: number): ValidBatch {
  if (!isRecord(body)) {
    throw new RefusedBatch(
      "invalid_payload",
      `The body must be an object with "spans", got ${kindOf(body)}.`,
      0,
    );
  }
  const { service, env, version, batch_id: batchId, spans } = body;
  if (spans === undefined) throw new RefusedBatch("missing_spans", 'The body has no "spans".', 0);
  if (!Array.isArray(spans)) {
    throw new RefusedBatch("invalid_spans", `"spans" must be an array, got ${kindOf(spans)}.`, 0);
  }
  const count = spans.length;
  if (count > maxSpans) {
    throw new RefusedBatch("batch_too_large", tooLargeMessage("spans", count, maxSpans), count, {
      size: count,
      capacity: maxSpans,
    });
  }
  if (isTooDeep(body)) {
    throw new RefusedBatch("too_deep", `The body is nested deeper than ${MAX_DEPTH} levels.`, count, {
      max_depth: MAX_DEPTH,
    });
  }
  for (let index = 0; index < count; index++) checkSpan(spans[index], index, count);
  return {
    service: optionalText(service, "service", count) ?? "unknown",
    env: optionalText(env, "env", count) ?? "development",
    version: optionalText(version, "version", count),
    batchId: isUsableBatchId(batchId) ? batchId : undefined,
    unusableFields: batchId == null || isUsableBatchId(batchId) ? [] : ["batch_id"],
    spans: spans as Span[],
  };
}

function isUsableBatchId(value: unknown): value is string {
  return typeof value === "string" && value.length >= 1 && value.length <= MAX_BATCH_ID_LENGTH;
}

/** Returns the message for a batch that is larger than the queue. */
export function tooLargeMessage(unit: "spans" | "bytes", size: number, capacity: number): string {
  const key = unit === "spans" ? "limits.max_queue_size" : "limits.max_queue_bytes";
  return `The batch has ${size} ${unit}; the queue holds at most ${capacity} (${key}).`;
}

function checkSpan(span: unknown, index: number, count: number): void {
  if (!isRecord(span)) {
    throw invalidSpan(`spans[${index}] must be an object, got ${kindOf(span)}.`, index, undefined, count);
  }
  const { name, trace_id: traceId } = span;
  if (typeof name !== "string" || name === "") {
    throw invalidSpan(
      `spans[${index}].name must be a non-empty string, got ${kindOf(name)}.`,
      index,
      "name",
      count,
    );
  }
  if (!isUsableTraceId(traceId)) {
    const got =
      typeof traceId === "string" && !isWellFormed(traceId)
        ? "a string with a lone surrogate, which is not valid Unicode"
        : kindOf(traceId);
    const message = `spans[${index}].trace_id must be a string of 1 to ${MAX_TRACE_ID_LENGTH} characters, got ${got}.`;
    throw invalidSpan(message, index, "trace_id", count);
  }
}

function invalidSpan(message: string, index: number, field: string | undefined, count: number): RefusedBatch {
  return new RefusedBatch("invalid_span", message, count, {
    index,
    ...(field === undefined ? {} : { field }),
  });
}

/** Treats an empty string as missing. Any other type, including null, is a wrong shape (contract 1). */
function optionalText(value: unknown, field: string, count: number): string | undefined {
  if (value === undefined || value === "") return undefined;
  if (typeof value === "string") return truncateCodePoints(value, MAX_CONTEXT_LENGTH);
  throw new RefusedBatch("invalid_payload", `"${field}" must be a string, got ${kindOf(value)}.`, count, {
    field,
  });
}

/** Describes a value without quoting it, because bodies contain prompts. */
function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "string")
    return value === ""
      ? "an empty string"
      : `a string of ${Array.from(value.slice(0, 1000)).length}${value.length > 1000 ? " or more" : ""} characters`;
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
