import type { Evaluation, EvaluationQuery } from "../api-schema/evaluations.js";
import type { EvaluationDirection } from "../api-schema/evaluation-types.js";
import type {
  ArrivedTrace,
  EvaluatedLabels,
  SpanReference,
  SpanSink,
  StoredEvaluation,
} from "../interfaces.js";
import type { PipelineSpan } from "../span/pipeline-span.js";
import { readSpanFacts } from "../span/span-facts.js";
import { referenceText, traceOf } from "./distinct-spans.js";
import { evaluationFilter, rangeOf, type EndedBetween } from "./evaluation-filter.js";
import { MissingLabels } from "./missing-labels.js";
import { NewestEvaluations } from "./newest-evaluations.js";
import { badness, comesAfter, decodeCursor, encodeCursor, RankedPage } from "./ranked-evaluations.js";
import {
  createEvaluationReader,
  type EvaluationReaderOptions,
  type ReadEvaluation,
} from "./read-evaluation.js";

/** An evaluation in the log. */
export interface LoggedEvaluation extends ReadEvaluation {
  /** Increases with every evaluation: from 1 for those of this process, up to 0 for restored ones. */
  readonly sequence: number;
}

/** Options of {@link createEvaluationLog}. */
export interface EvaluationLogOptions extends EvaluationReaderOptions {
  /** Reads the labels of evaluated spans, for evaluations that carry none. Undefined if there is no store. */
  readonly labelsOf:
    | ((references: readonly SpanReference[]) => Promise<readonly (EvaluatedLabels | undefined)[]>)
    | undefined;
  /** Called if `labelsOf` rejects. */
  readonly onError: (error: unknown) => void;
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

/** Resolves when a page that could not be read is read again. Rejects if that has no use. */
export type AfterFailure = (error: unknown) => Promise<undefined>;

/** The latest evaluations, which the pages show across traces. */
export interface EvaluationLog extends SpanSink {
  /**
   * Puts the evaluations that a store has kept before those of this process. Must not be called twice. The store may return
   * evaluations that arrive meanwhile; they are in the log once.
   *
   * @param afterFailure - default: the first failure ends it.
   */
  restore(read: ReadEvaluations, afterFailure?: AfterFailure): Promise<void>;
  /**
   * Resolves when the evaluations that arrived so far have the labels of their spans, and no {@link restore} is under way
   * that has not failed yet: nobody waits for a store that is away.
   */
  settled(): Promise<void>;
  /** One page of matching evaluations in the requested order, after the cursor. */
  list(query: EvaluationQuery): { found: LoggedEvaluation[]; nextCursor: string | null };
  /** All matching evaluations that ended in a range, oldest first. Default: the range of the query. */
  select(query: EvaluationQuery, range?: EndedBetween): LoggedEvaluation[];
  /**
   * Evaluations of a range, oldest first. Undefined if there are more than `max`, or if part of the range was evicted, of
   * any tenant.
   */
  within(range: EvaluationRange, max: number): readonly Evaluation[] | undefined;
  /** Sequence number of the newest evaluation up to which all have their labels; 0 before the first. */
  readonly newest: number;
  readonly oldest: LoggedEvaluation | undefined;
  thresholdOf(type: string, direction: EvaluationDirection): number | null;
  /** The direction of a type that a score does not name itself. */
  directionOf(type: string): EvaluationDirection;
  /** Removes the evaluations of deleted traces. */
  remove(isDeleted: (trace: ArrivedTrace) => boolean): void;
}

const CAPACITY = 20_000;
const MAX_BYTES = 32 * 2 ** 20;
const DEFAULT_LIMIT = 20;
/** Evaluations read at a time from the store. */
const RESTORED_AT_ONCE = 500;

export function createEvaluationLog(options: EvaluationLogOptions): EvaluationLog {
  const { labelsOf, onError, capacity = CAPACITY, maxBytes = MAX_BYTES } = options;
  const reader = createEvaluationReader(options);
  const limits = { capacity, maxBytes };
  let evictedUpTo = 0;
  const newest = new NewestEvaluations<LoggedEvaluation>(limits, (evicted) => {
    evictedUpTo = evicted.sequence;
  });
  const missingLabels = new MissingLabels<LoggedEvaluation>({ entries: newest, labelsOf, onError });
  let sequence = 0;
  let restored: Promise<void> = Promise.resolve();
  /** What happens during a {@link restore}; undefined when there is none. */
  let meanwhile: Meanwhile | undefined;

  function add(span: PipelineSpan): void {
    const read = reader.read(span);
    if (read === undefined) return;
    const entry = { ...read, sequence: ++sequence };
    newest.add(entry);
    missingLabels.added(entry);
    if (meanwhile !== undefined && meanwhile.arrived.size < capacity) meanwhile.arrived.add(idOf(entry));
  }

  async function restore(readPage: ReadEvaluations, afterFailure: AfterFailure): Promise<void> {
    // A store may keep more than the log.
    const found = new NewestEvaluations<ReadEvaluation>(limits);
    const { arrived, deleted }: Meanwhile = (meanwhile = { arrived: new Set(), deleted: [] });
    try {
      for (let after = 0; arrived.size < capacity;) {
        const page = await readPage(after, RESTORED_AT_ONCE).catch(afterFailure);
        if (page === undefined) continue;
        const last = page.at(-1);
        if (last === undefined) break;
        after = last.sequence;
        const entries = page.map(readStored).filter((entry) => entry !== undefined);
        for (const entry of await missingLabels.complete(entries)) found.add(entry);
        // The rest of what the store has arrived in this process too.
        const lastEntry = entries.at(-1);
        if (lastEntry !== undefined && arrived.has(idOf(lastEntry))) break;
      }
    } finally {
      meanwhile = undefined;
    }
    // The log is full of newer ones.
    if (arrived.size >= capacity) return;
    found.remove(
      (entry) => arrived.has(idOf(entry)) || deleted.some((isDeleted) => isDeleted(arrivalOf(entry))),
    );
    const { length } = found.entries;
    newest.addOlder(found.entries.map((entry, index) => ({ ...entry, sequence: index + 1 - length })));
  }

  function readStored({ span, context, labels }: StoredEvaluation): ReadEvaluation | undefined {
    const facts = { ...readSpanFacts(span, context, undefined, () => undefined), ...labels };
    const entry = reader.read({ span, facts, context });
    // The store has looked for labels already.
    return entry !== undefined && labels !== undefined ? { ...entry, lacksLabels: false } : entry;
  }

  function select(query: EvaluationQuery, range = rangeOf(query)): LoggedEvaluation[] {
    const matches = evaluationFilter(query, range);
    return newest.entries.slice(-capacity).filter(matches);
  }

  return {
    name: "evaluation log",
    restore(readPage, afterFailure = fail) {
      let settle = (): void => undefined;
      restored = new Promise((resolve) => (settle = resolve));
      const restoring = restore(readPage, (error) => {
        // Unless the failure ends it in this turn.
        setImmediate(settle);
        return afterFailure(error);
      });
      void restoring.then(settle, settle);
      return restoring;
    },
    async settled() {
      await restored;
      await missingLabels.settled();
    },
    offer(spans) {
      for (const span of spans) if (span.facts.spanType === "evaluation") add(span);
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
      return missingLabels.completeUpTo;
    },
    get oldest() {
      return newest.entries.at(-capacity) ?? newest.entries[0];
    },
    thresholdOf: (type, direction) => reader.thresholdOf(type, direction),
    directionOf: (type) => reader.directionOf(type),
    remove(isDeleted) {
      meanwhile?.deleted.push(isDeleted);
      newest.remove((entry) => isDeleted(arrivalOf(entry)));
    },
  };
}

async function fail(error: unknown): Promise<undefined> {
  throw error;
}

/** What happens while the evaluations of a store are read. */
interface Meanwhile {
  /** Ids of the evaluations that arrived, as many as the log has room for. */
  readonly arrived: Set<string>;
  /** Of traces that were deleted. */
  readonly deleted: ((trace: ArrivedTrace) => boolean)[];
}

function arrivalOf({ evaluation, receivedAtMs }: ReadEvaluation): ArrivedTrace {
  return { ...traceOf(evaluation), receivedAtMs };
}

function idOf({ evaluation }: ReadEvaluation): string {
  return referenceText({ ...traceOf(evaluation), spanId: evaluation.span_id });
}
