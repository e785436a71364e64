import type { Evaluation, EvaluationQuery } from "../api-schema/evaluations.js";
import {
  BUILT_IN_TYPES,
  DEFAULT_THRESHOLDS,
  EVALUATION_DIRECTIONS,
  evaluationTypeName,
  isPastThreshold,
  type EvaluationDirection,
} from "../api-schema/evaluation-types.js";
import type { SpanSink, TraceKey } from "../interfaces.js";
import type { PipelineSpan } from "../span/pipeline-span.js";
import { keptText } from "../span/kept-text.js";
import { isRecord, isUsableSpanId, MAX_LABEL_LENGTH } from "../span/span-facts.js";
import { addMs, formatInstant } from "../span/timestamp.js";
import { evaluationFilter, rangeOf, type EndedBetween } from "./evaluation-filter.js";
import { badness, comesAfter, decodeCursor, encodeCursor, RankedPage } from "./ranked-evaluations.js";

/** An evaluation in the log. */
export interface LoggedEvaluation {
  /** Increases with every evaluation. */
  readonly sequence: number;
  readonly endedAtMs: number;
  /** Version of the application, if known. */
  readonly version: string | undefined;
  readonly evaluation: Evaluation;
}

/** Labels of the evaluated span, for evaluations that carry none, such as a user's score. */
export type EvaluatedLabels = Pick<Evaluation, "model" | "agent">;

/** Options of {@link createEvaluationLog}. */
export interface EvaluationLogOptions {
  /** `evaluation.thresholds`. */
  readonly thresholds: Readonly<Record<string, number>>;
  /** Directions of custom types. */
  readonly directions: Readonly<Partial<Record<string, EvaluationDirection>>>;
  /** Reads model and agent of a span, or of the trace if `spanId` is null. */
  readonly labelsOf: (key: TraceKey, spanId: string | null) => Promise<EvaluatedLabels>;
  /** Evaluations in the log; the oldest are evicted. Default: 20,000. */
  readonly capacity?: number;
  /** Memory of all evaluations; the oldest are evicted. Default: 32 MiB. */
  readonly maxBytes?: number;
}

/** A range of sequence numbers. */
export interface EvaluationRange {
  /** Exclusive start. */
  readonly after: number;
  /** Inclusive end. */
  readonly upTo: number;
  /** Undefined selects every tenant. */
  readonly tenant: string | undefined;
}

/** The latest evaluations of this process, which the pages show across traces. */
export interface EvaluationLog extends SpanSink {
  /** One page of matching evaluations in the requested order, after the cursor. */
  list(query: EvaluationQuery): { found: LoggedEvaluation[]; nextCursor: string | null };
  /** All matching evaluations that ended in a range, oldest first. Default: the range of the query. */
  select(query: EvaluationQuery, range?: EndedBetween): LoggedEvaluation[];
  /**
   * Evaluations of a range, oldest first. Undefined if there are more than `max`, or if part of the range was evicted, of
   * any tenant.
   */
  within(range: EvaluationRange, max: number): readonly Evaluation[] | undefined;
  /** Sequence number of the newest evaluation; 0 before the first. */
  readonly newest: number;
  readonly oldest: LoggedEvaluation | undefined;
  thresholdOf(type: string, direction: EvaluationDirection): number | null;
  /** Removes the evaluations of deleted traces. */
  remove(isDeleted: (key: TraceKey) => boolean): void;
}

const CAPACITY = 20_000;
const MAX_BYTES = 32 * 2 ** 20;
/** Upper bounds of the memory of an entry without its texts, and of a character. */
const ENTRY_BYTES = 600;
const BYTES_PER_CHARACTER = 2;
const DEFAULT_LIMIT = 20;
const MAX_EXPLANATION_LENGTH = 1000;

export function createEvaluationLog(options: EvaluationLogOptions): EvaluationLog {
  const { thresholds, directions, labelsOf, capacity = CAPACITY, maxBytes = MAX_BYTES } = options;
  let entries: LoggedEvaluation[] = [];
  let bytes = 0;
  let sequence = 0;
  let evictedUpTo = 0;

  async function add(span: PipelineSpan): Promise<void> {
    const evaluation = await read(span);
    if (evaluation === undefined) return;
    const { context, facts } = span;
    const ended = addMs(facts.start, facts.durationMs ?? 0);
    entries.push({ sequence: ++sequence, endedAtMs: ended.epochMs, version: context.version, evaluation });
    bytes += bytesOf(evaluation);
    // Evicts in batches, so that the array is not copied for each entry.
    if (entries.length > capacity * 1.1) evict(entries.length - capacity);
    if (bytes > maxBytes) evict(countToEvict(maxBytes * 0.9));
  }

  function evict(count: number): void {
    for (const { evaluation } of entries.slice(0, count)) bytes -= bytesOf(evaluation);
    evictedUpTo = entries[count - 1]?.sequence ?? evictedUpTo;
    entries = entries.slice(count);
  }

  /** The number of oldest entries to evict until the rest takes at most `wantedBytes`. */
  function countToEvict(wantedBytes: number): number {
    let left = bytes;
    let count = 0;
    for (const { evaluation } of entries) {
      if (left <= wantedBytes) break;
      left -= bytesOf(evaluation);
      count++;
    }
    return count;
  }

  async function read({ span, facts, context }: PipelineSpan): Promise<Evaluation | undefined> {
    const attributes: Record<string, unknown> = isRecord(span.attributes) ? span.attributes : {};
    const type = text(attributes["evaluation_type"]);
    if (type === null) return undefined;
    const score = facts.evaluationScore ?? null;
    const givenId = attributes["evaluated_span_id"];
    const evaluatedSpanId = isUsableSpanId(givenId) ? givenId : facts.parentSpanId || null;
    const key = { tenant: context.tenant, traceId: facts.traceId };
    const own = { model: facts.model || null, agent: facts.agent || null };
    const labels = own.model === null && own.agent === null ? await labelsOf(key, evaluatedSpanId) : own;
    const direction = directionOf(attributes["evaluation_direction"], type);
    const judgeModel = text(attributes["judge_model"]);
    return {
      trace_id: facts.traceId,
      tenant: context.tenant,
      span_id: facts.spanId,
      evaluated_span_id: evaluatedSpanId,
      type,
      score,
      label: text(attributes["evaluation_label"]),
      explanation:
        text(attributes["evaluation_explanation"], MAX_EXPLANATION_LENGTH) ??
        text(attributes["evaluation_comment"], MAX_EXPLANATION_LENGTH) ??
        text(attributes["error_message"], MAX_EXPLANATION_LENGTH),
      direction,
      past_threshold:
        score !== null && isPastThreshold(score, direction, thresholds[evaluationTypeName(type)]),
      outcome: text(attributes["evaluation_outcome"]) ?? (score === null ? "error" : "completed"),
      source: text(attributes["evaluation_source"]) ?? (judgeModel === null ? "check" : "judge"),
      service: context.service,
      env: context.env,
      ...labels,
      time: formatInstant(addMs(facts.start, facts.durationMs ?? 0)),
      duration_ms: facts.durationMs ?? null,
      judge_model: judgeModel,
      cost_usd: amount(attributes["judge_cost_usd"]),
    };
  }

  function directionOf(given: unknown, type: string): EvaluationDirection {
    const valid = EVALUATION_DIRECTIONS.find((direction) => direction === given);
    const name = evaluationTypeName(type);
    const builtIn = (BUILT_IN_TYPES as Partial<Record<string, EvaluationDirection>>)[name];
    return valid ?? directions[name] ?? builtIn ?? "maximize";
  }

  function select(query: EvaluationQuery, range = rangeOf(query)): LoggedEvaluation[] {
    const matches = evaluationFilter(query, range);
    return entries.slice(-capacity).filter(matches);
  }

  return {
    name: "evaluation log",
    async offer(spans) {
      const evaluations = spans.filter(({ facts }) => facts.spanType === "evaluation");
      for (const span of evaluations) await add(span);
    },
    select,
    list(query) {
      const { order = "newest", limit = DEFAULT_LIMIT, cursor } = query;
      const isNewest = order === "newest";
      const after = cursor === undefined ? undefined : decodeCursor(cursor);
      const matches = evaluationFilter(query, rangeOf(query));
      const page = new RankedPage<LoggedEvaluation>(limit + 1);
      const oldest = Math.max(0, entries.length - capacity);
      // Newest first: in that order the loop ends when the page is full.
      for (let at = entries.length - 1; at >= oldest && !(isNewest && page.isFull); at--) {
        const entry = entries[at];
        if (entry === undefined || !(isNewest || entry.evaluation.score !== null)) continue;
        const rank = isNewest ? 0 : badness(entry.evaluation);
        if (after !== undefined && !comesAfter({ rank, sequence: entry.sequence }, after)) continue;
        if (page.takes(rank) && matches(entry)) page.add(entry, rank);
      }
      const found = page.first(limit);
      const last = page.isFull ? found.at(-1) : undefined;
      return {
        found: found.map(({ entry }) => entry),
        nextCursor:
          last === undefined ? null : encodeCursor({ rank: last.rank, sequence: last.entry.sequence }),
      };
    },
    within({ after, upTo, tenant }, max) {
      if (after < Math.min(evictedUpTo, upTo)) return undefined;
      const found: Evaluation[] = [];
      for (let at = entries.length - 1; at >= 0; at--) {
        const entry = entries[at];
        if (entry === undefined || entry.sequence <= after) break;
        if (entry.sequence > upTo || (tenant !== undefined && entry.evaluation.tenant !== tenant)) continue;
        if (found.push(entry.evaluation) > max) return undefined;
      }
      return found.reverse();
    },
    get newest() {
      return sequence;
    },
    get oldest() {
      return entries.at(-capacity) ?? entries[0];
    },
    thresholdOf(type, direction) {
      return thresholds[type] ?? defaultThreshold(direction);
    },
    remove(isDeleted) {
      entries = entries.filter(
        ({ evaluation }) => !isDeleted({ tenant: evaluation.tenant, traceId: evaluation.trace_id }),
      );
      bytes = entries.reduce((sum, { evaluation }) => sum + bytesOf(evaluation), 0);
    },
  };
}

function defaultThreshold(direction: EvaluationDirection): number | null {
  return direction === "neutral" ? null : DEFAULT_THRESHOLDS[direction];
}

/** A text for the log: truncated, and copied rather than a slice of a longer string. */
function text(value: unknown, maxLength = MAX_LABEL_LENGTH): string | null {
  return typeof value === "string" && value !== "" ? keptText(value, maxLength) : null;
}

function amount(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

function bytesOf(evaluation: Evaluation): number {
  let characters = 0;
  for (const value of Object.values(evaluation)) if (typeof value === "string") characters += value.length;
  return ENTRY_BYTES + characters * BYTES_PER_CHARACTER;
}
