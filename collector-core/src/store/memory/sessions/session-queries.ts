import type { SessionOrder, SessionQuery, SessionTracesQuery } from "../../../api-schema/sessions.js";
import type { SessionCondition } from "../../../api-schema/query/conditions.js";
import { FEEDBACK_TYPE } from "../../../api-schema/evaluation-types.js";
import type { TraceFilter, TraceSummary } from "../../../api-schema/trace.js";
import type { SessionKey, SessionPage, SessionTraces, StoredSession } from "../../../interfaces.js";
import type { Clock } from "../../../runtime/clock.js";
import { createConcurrencyLimit } from "../../../runtime/concurrency-limit.js";
import { TimeSlice } from "../../../runtime/time-slice.js";
import { finiteSum } from "../../../span/finite-sum.js";
import { RankedItems } from "../../sessions/ranked-items.js";
import { SessionCache } from "../../sessions/session-cache.js";
import { meetsConditions, readSessionFilter } from "../../sessions/session-filter.js";
import {
  compareRanks,
  compareTurns,
  decodePosition,
  decodeTurn,
  encodePosition,
  encodeTurn,
  turnOrder,
  type SessionRank,
  type TurnPosition,
} from "../../sessions/session-position.js";
import { SessionTotals, UP_FROM } from "../../sessions/session-totals.js";
import { ListCursors } from "../../traces/list-cursor.js";
import type { SessionRecord } from "../../traces/session-record.js";
import type { TraceRecord } from "../../traces/trace-record.js";
import { scoresOf, summarizeTrace } from "../../traces/trace-summary.js";
import type { HeldTraces } from "../held-traces.js";
import type { TraceBlock } from "../index/trace-block.js";
import type { TraceSearch } from "../search/trace-search.js";
import type { TraceEviction } from "../trace-eviction.js";

/** Concurrent queries. More would not be faster, and each holds up to 1,000 sessions. */
const MAX_QUERIES = 2;
const DEFAULT_SESSIONS = 20;
const DEFAULT_TRACES = 100;
/** Sessions and traces between two looks at the clock, which cost more than a number that is at hand. */
const PER_CHECK = 64;
/** Behind every session. */
const NO_RANK: SessionRank = { value: Number.NEGATIVE_INFINITY, sequence: 0 };

/** Options of {@link SessionQueries}. */
export interface SessionQueriesOptions {
  readonly held: HeldTraces;
  readonly eviction: Pick<TraceEviction, "evictExpired">;
  readonly search: TraceSearch;
  readonly clock: Pick<Clock, "monotonic">;
}

interface RankedSession extends SessionRank {
  readonly session: SessionRecord;
}

interface Turn extends TurnPosition {
  readonly trace: TraceRecord;
}

/** Answers queries over sessions from the numbers that the index has of their traces. */
export class SessionQueries {
  readonly #options: SessionQueriesOptions;
  readonly #cursors = new ListCursors();
  readonly #limited = createConcurrencyLimit(MAX_QUERIES);
  readonly #cache = new SessionCache<SessionRecord>();

  constructor(options: SessionQueriesOptions) {
    this.#options = options;
  }

  async list(query: SessionQuery, signal?: AbortSignal): Promise<SessionPage> {
    const { limit = DEFAULT_SESSIONS, cursor, order = "newest", ...filters } = query;
    const { traces: filter, conditions } = readSessionFilter(filters);
    const after = cursor === undefined ? undefined : decodePosition(this.#cursors, order, cursor);
    return await this.#limited(async () => {
      signal?.throwIfAborted();
      const { held, eviction } = this.#options;
      eviction.evictExpired();
      const newestSequence = after?.newestSequence ?? held.traces.newestSequence;
      const candidates = await this.#candidates(filter, signal);
      const timeSlice = this.#timeSlice(signal);
      const ranked = new RankedItems<RankedSession>(limit, compareRanks);
      // From the newest: most of the others are behind the page then.
      for (let at = candidates.length - 1; at >= 0; at--) {
        const session = candidates[at] as SessionRecord;
        const rank =
          knownRank(session, order, newestSequence) ??
          (await this.#rank(session, order, newestSequence, timeSlice));
        const isBehind = rank !== undefined && (after === undefined || compareRanks(after, rank) < 0);
        const item = isBehind ? { session, value: rank.value, sequence: rank.sequence } : undefined;
        if (
          item !== undefined &&
          ranked.takes(item) &&
          (await this.#meets(session, conditions, newestSequence, timeSlice))
        )
          ranked.add(item);
        if (at % PER_CHECK === 0 && timeSlice.isOver()) await timeSlice.next();
      }

      const { page, hasMore } = ranked.finish();
      const sessions: StoredSession[] = [];
      for (const { session } of page) {
        const stored = await this.#figures(session, timeSlice);
        if (stored !== undefined) sessions.push(stored);
      }
      const last = page.at(-1);
      const nextCursor =
        hasMore && last !== undefined
          ? encodePosition(this.#cursors, order, {
              value: last.value,
              sequence: last.sequence,
              newestSequence,
            })
          : null;
      return { sessions, nextCursor };
    }, signal);
  }

  async session(
    key: SessionKey,
    { limit = DEFAULT_TRACES, cursor, order = "oldest" }: SessionTracesQuery,
    signal?: AbortSignal,
  ): Promise<SessionTraces | undefined> {
    const after = cursor === undefined ? undefined : decodeTurn(this.#cursors, order, cursor);
    return await this.#limited(async () => {
      signal?.throwIfAborted();
      const { held, eviction } = this.#options;
      eviction.evictExpired();
      const found = held.sessions.find(key);
      if (found === undefined) return undefined;
      const timeSlice = this.#timeSlice(signal);
      const session = await this.#figures(found, timeSlice);
      if (session === undefined) return undefined;

      const compare = turnOrder(order);
      const turns = new RankedItems<Turn>(limit, compare);
      for (const turn of await this.#turnsOf(found, timeSlice))
        if (after === undefined || compare(after, turn) < 0) turns.add(turn);
      const { page, hasMore } = turns.finish();
      const traces: TraceSummary[] = [];
      for (const { trace } of page) {
        if (timeSlice.isOver()) await timeSlice.next();
        if (!trace.isRemoved) traces.push(this.#summaryOf(trace));
      }
      const last = page.at(-1);
      return {
        session,
        traces,
        nextCursor: hasMore && last !== undefined ? encodeTurn(this.#cursors, order, last) : null,
      };
    }, signal);
  }

  /** The tenants that have a session of that id. */
  tenantsOf(sessionId: string): readonly string[] {
    this.#options.eviction.evictExpired();
    return this.#options.held.sessions.tenantsOf(sessionId).sort();
  }

  /** The sessions with a matching trace. */
  async #candidates(filter: TraceFilter, signal: AbortSignal | undefined): Promise<readonly SessionRecord[]> {
    const { tenant, ...others } = filter;
    if (Object.values<unknown>(others).every((value) => value === undefined))
      return this.#options.held.sessions.list(tenant);
    const matching = new Set<SessionRecord>();
    const visit = ({ session }: TraceRecord): boolean => {
      if (session !== undefined) matching.add(session);
      return true;
    };
    await this.#options.search(filter, {}, visit, signal);
    return [...matching];
  }

  /** Whether a session of the traces up to a sequence meets all conditions. */
  async #meets(
    session: SessionRecord,
    conditions: readonly SessionCondition[],
    newestSequence: number,
    timeSlice: TimeSlice,
  ): Promise<boolean> {
    if (conditions.length === 0) return true;
    const facts = { turns: 0, costUsd: 0, isRunning: false, hasFailed: false, isUp: false, isDown: false };
    await this.#visit(session, timeSlice, (trace, block, slot) => {
      if (trace.sequence > newestSequence) return;
      const { status, has } = block.values(slot);
      facts.turns++;
      facts.costUsd = finiteSum(facts.costUsd, block.costUsd(slot));
      if (status === "RUNNING") facts.isRunning = true;
      if (has.includes("error")) facts.hasFailed = true;
      if (!has.includes("score")) return;
      const thumb = scoresOf(trace, this.#options.held.spans).find(({ type }) => type === FEEDBACK_TYPE);
      if (thumb === undefined) return;
      if (thumb.score >= UP_FROM) facts.isUp = true;
      else facts.isDown = true;
    });
    return meetsConditions(facts, conditions);
  }

  /** Where a session stands; undefined if all its traces are gone, or newer. */
  async #rank(
    session: SessionRecord,
    order: SessionOrder,
    newestSequence: number,
    timeSlice: TimeSlice,
  ): Promise<SessionRank | undefined> {
    const { changes } = session;
    let latest: SessionRank = NO_RANK;
    let sum = 0;
    let sequence = 0;
    await this.#visit(session, timeSlice, (trace, block, slot) => {
      if (trace.sequence > newestSequence) return;
      const end = { value: block.startEpochMs(slot) + block.durationMs(slot), sequence: trace.sequence };
      if (compareRanks(end, latest) < 0) latest = end;
      sum = finiteSum(sum, order === "slowest" ? block.durationMs(slot) : block.costUsd(slot));
      sequence = Math.max(sequence, trace.sequence);
    });
    if (latest === NO_RANK) return undefined;
    if (session.changes === changes && session.newestSequence <= newestSequence) {
      session.latestEndMs = latest.value;
      session.latestSequence = latest.sequence;
      session.rankedChanges = changes;
    }
    return order === "newest" ? latest : { value: sum, sequence };
  }

  /** The traces of a session in order of start. */
  async #turnsOf(session: SessionRecord, timeSlice: TimeSlice): Promise<Turn[]> {
    const turns: Turn[] = [];
    await this.#visit(session, timeSlice, (trace, block, slot) =>
      turns.push({
        trace,
        startMs: block.startEpochMs(slot),
        startNanos: block.startNanos(slot),
        sequence: trace.sequence,
      }),
    );
    return turns.sort(compareTurns);
  }

  /** Visits the traces of a session with their numbers in the index. */
  async #visit(
    session: SessionRecord,
    timeSlice: TimeSlice,
    visit: (trace: TraceRecord, block: TraceBlock, slot: number) => void,
  ): Promise<void> {
    const { held, clock } = this.#options;
    const { index } = held;
    for (const [at, trace] of held.sessions.tracesOf(session).entries()) {
      const block = trace.isRemoved ? undefined : index.blockBefore(trace.sequence + 1);
      if (block !== undefined) {
        const slot = block.slotOf(trace);
        index.ensure(block, slot, trace, clock.monotonic());
        visit(trace, block, slot);
      }
      if (at % PER_CHECK === PER_CHECK - 1 && timeSlice.isOver()) await timeSlice.next();
    }
  }

  /** The figures of a session; undefined if it is gone. */
  async #figures(session: SessionRecord, timeSlice: TimeSlice): Promise<StoredSession | undefined> {
    const { clock } = this.#options;
    const { changes } = session;
    const known = this.#cache.get(session, changes, clock.monotonic());
    if (known !== undefined) return known;
    const totals = new SessionTotals();
    for (const { trace } of await this.#turnsOf(session, timeSlice)) {
      if (!trace.isRemoved) totals.add(this.#summaryOf(trace));
      if (timeSlice.isOver()) await timeSlice.next();
    }
    if (totals.traces === 0) return undefined;
    const stored = totals.toSession(session);
    this.#cache.set(session, changes, stored, clock.monotonic());
    return stored;
  }

  #summaryOf(trace: TraceRecord): TraceSummary {
    return summarizeTrace(trace, this.#options.held.spans, this.#options.clock.monotonic());
  }

  #timeSlice(signal: AbortSignal | undefined): TimeSlice {
    return new TimeSlice(this.#options.clock, signal);
  }
}

/** Where a session stands, if that is known. */
function knownRank(
  session: SessionRecord,
  order: SessionOrder,
  newestSequence: number,
): SessionRank | undefined {
  const isKnown =
    order === "newest" &&
    session.rankedChanges === session.changes &&
    session.newestSequence <= newestSequence;
  return isKnown ? { value: session.latestEndMs, sequence: session.latestSequence } : undefined;
}
