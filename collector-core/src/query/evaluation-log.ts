import type { Evaluation, EvaluationQuery } from "../api-schema/evaluations.js";
import {
  BUILT_IN_TYPES,
  DEFAULT_THRESHOLDS,
  EVALUATION_DIRECTIONS,
  evaluationTypeName,
  isPastThreshold,
  type EvaluationDirection,
} from "../api-schema/evaluation-types.js";
import type { SpanSink, StoredEvaluation, TraceKey } from "../interfaces.js";
import type { PipelineSpan } from "../span/pipeline-span.js";
import { keptText } from "../span/kept-text.js";
import { isRecord, isUsableSpanId, MAX_LABEL_LENGTH, readSpanFacts } from "../span/span-facts.js";
import { addMs, formatInstant } from "../span/timestamp.js";
import { evaluationFilter, rangeOf, type EndedBetween } from "./evaluation-filter.js";
import { NewestEvaluations } from "./newest-evaluations.js";
import { badness, comesAfter, decodeCursor, encodeCursor, RankedPage } from "./ranked-evaluations.js";

/** An evaluation in the log. */
export interface LoggedEvaluation {
  /** Increases with every evaluation: from 1 for those of this process, up to 0 for restored ones. */
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

/** Reads a page of kept evaluations, like `TraceStore.evaluations`. */
export type ReadEvaluations = (after: number, limit: number) => Promise<readonly StoredEvaluation[]>;

/** The latest evaluations, which the pages show across traces. */
export interface EvaluationLog extends SpanSink {
  /**
   * Puts the evaluations that a store has kept before those of this process. Must not be called twice. Evaluations that the
   * store gets meanwhile would be in the log twice: they have to wait for {@link restored}.
   */
  restore(read: ReadEvaluations): Promise<void>;
  /** Resolves when no {@link restore} is under way, whether or not it failed. */
  readonly restored: Promise<void>;
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
const DEFAULT_LIMIT = 20;
/** Evaluations read at a time from the store. */
const RESTORED_AT_ONCE = 500;
const MAX_EXPLANATION_LENGTH = 1000;

export function createEvaluationLog(options: EvaluationLogOptions): EvaluationLog {
  const { labelsOf, capacity = CAPACITY, maxBytes = MAX_BYTES } = options;
  // Maps: the sender of a score names its type, and may name it `constructor`.
  const thresholds = new Map(Object.entries(options.thresholds));
  const directions = new Map(
    Object.entries<EvaluationDirection | undefined>({ ...BUILT_IN_TYPES, ...options.directions }),
  );
  const limits = { capacity, maxBytes };
  let evictedUpTo = 0;
  const newest = new NewestEvaluations<LoggedEvaluation>(limits, (evicted) => {
    evictedUpTo = evicted.sequence;
  });
  let sequence = 0;
  let restored: Promise<void> = Promise.resolve();
  /** Of traces that were deleted during a {@link restore}; undefined when there is none. */
  let deletions: ((key: TraceKey) => boolean)[] | undefined;

  async function add(span: PipelineSpan): Promise<void> {
    const entry = await read(span);
    if (entry !== undefined) newest.add({ ...entry, sequence: ++sequence });
  }

  async function restore(readPage: ReadEvaluations): Promise<void> {
    // A store may keep more than the log.
    const found = new NewestEvaluations<Entry>(limits);
    const deleted: ((key: TraceKey) => boolean)[] = [];
    deletions = deleted;
    try {
      for (let after = 0; ;) {
        const page = await readPage(after, RESTORED_AT_ONCE);
        for (const { span, context, labels } of page) {
          const facts = { ...readSpanFacts(span, context, undefined, () => undefined), ...labels };
          const entry = await read({ span, facts, context });
          if (entry !== undefined) found.add(entry);
        }
        const last = page.at(-1);
        if (last === undefined) break;
        after = last.sequence;
      }
    } finally {
      deletions = undefined;
    }
    found.remove(({ evaluation }) => deleted.some((isDeleted) => isDeleted(keyOf(evaluation))));
    const { length } = found.entries;
    newest.addOlder(found.entries.map((entry, index) => ({ ...entry, sequence: index + 1 - length })));
  }

  async function read({ span, facts, context }: EvaluationSpan): Promise<Entry | undefined> {
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
    const ended = addMs(facts.start, facts.durationMs ?? 0);
    const evaluation: Evaluation = {
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
        score !== null && isPastThreshold(score, direction, thresholds.get(evaluationTypeName(type))),
      outcome: text(attributes["evaluation_outcome"]) ?? (score === null ? "error" : "completed"),
      source: text(attributes["evaluation_source"]) ?? (judgeModel === null ? "check" : "judge"),
      service: context.service,
      env: context.env,
      ...labels,
      time: formatInstant(ended),
      duration_ms: facts.durationMs ?? null,
      judge_model: judgeModel,
      cost_usd: amount(attributes["judge_cost_usd"]),
    };
    return { endedAtMs: ended.epochMs, version: context.version, evaluation };
  }

  function directionOf(given: unknown, type: string): EvaluationDirection {
    const valid = EVALUATION_DIRECTIONS.find((direction) => direction === given);
    return valid ?? directions.get(evaluationTypeName(type)) ?? "maximize";
  }

  function select(query: EvaluationQuery, range = rangeOf(query)): LoggedEvaluation[] {
    const matches = evaluationFilter(query, range);
    return newest.entries.slice(-capacity).filter(matches);
  }

  return {
    name: "evaluation log",
    restore(readPage) {
      const restoring = restore(readPage);
      restored = restoring.catch(() => undefined);
      return restoring;
    },
    get restored() {
      return restored;
    },
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
      const { entries } = newest;
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
      const { entries } = newest;
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
      return newest.entries.at(-capacity) ?? newest.entries[0];
    },
    thresholdOf(type, direction) {
      return thresholds.get(type) ?? defaultThreshold(direction);
    },
    remove(isDeleted) {
      deletions?.push(isDeleted);
      newest.remove(({ evaluation }) => isDeleted(keyOf(evaluation)));
    },
  };
}

/** An evaluation without its number. */
type Entry = Omit<LoggedEvaluation, "sequence">;

/** What the log reads of a span. */
type EvaluationSpan = Pick<PipelineSpan, "span" | "facts" | "context">;

function keyOf({ tenant, trace_id: traceId }: Evaluation): TraceKey {
  return { tenant, traceId };
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
