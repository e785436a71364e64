import { LRUCache } from "lru-cache";
import type { TraceSummary } from "../../../api-schema/trace.js";
import type { SessionKey, StoredSession } from "../../../interfaces.js";
import type { Clock } from "../../../runtime/clock.js";
import type { TimeSlice } from "../../../runtime/time-slice.js";
import { SessionCache } from "../../sessions/session-cache.js";
import { compareTurns, type TurnPosition } from "../../sessions/session-position.js";
import { SessionTotals } from "../../sessions/session-totals.js";

/** The first traces of a session are kept added up, up to a multiple of this. */
const STEP = 256;
/** Sessions whose first traces are kept added up, each in about a kilobyte. */
const MAX_BEGINNINGS = 64;

/** The first traces of a session, added up. */
interface Beginning {
  readonly key: SessionKey;
  readonly totals: SessionTotals;
  /** The last of them, and their number. */
  readonly until: TurnPosition;
  readonly count: number;
}

/** Options of {@link SessionFigures}. */
export interface SessionFiguresOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly numberOf: (key: SessionKey) => number;
  /** The number of traces of a session, up to a position. Default: of all. */
  readonly count: (session: number, until?: TurnPosition) => number;
  /** The traces of a session behind a position, in order of start. */
  readonly turns: (
    key: SessionKey,
    after: TurnPosition | undefined,
    timeSlice: TimeSlice,
  ) => AsyncIterable<TurnPosition>;
  /** Undefined for a trace that is not of the session, or gone. */
  readonly summaryIn: (key: SessionKey, turn: TurnPosition) => TraceSummary | undefined;
}

/**
 * Adds up the figures of sessions from the summaries of their traces. A conversation grows at its end: of a long one, the traces
 * at the beginning are added up once, until one of them changes.
 */
export class SessionFigures {
  readonly #options: SessionFiguresOptions;
  readonly #cache = new SessionCache<number>();
  readonly #beginnings = new LRUCache<number, Beginning>({ max: MAX_BEGINNINGS });
  /** Sessions that are being added up, and whether a trace of them was written meanwhile. */
  readonly #underWay = new Set<{ readonly session: number; isStale: boolean }>();

  constructor(options: SessionFiguresOptions) {
    this.#options = options;
  }

  /** A trace of a session was written. */
  written(session: number, turn: TurnPosition): void {
    this.#cache.delete(session);
    const beginning = this.#beginnings.peek(session);
    if (beginning !== undefined && compareTurns(turn, beginning.until) <= 0) this.#beginnings.delete(session);
    for (const each of this.#underWay) if (each.session === session) each.isStale = true;
  }

  /** The figures of a session; undefined if there is none. */
  async of(key: SessionKey, timeSlice: TimeSlice): Promise<StoredSession | undefined> {
    const { clock, numberOf, count } = this.#options;
    const session = numberOf(key);
    const traces = count(session);
    const known = this.#cache.get(session, traces, clock.monotonic());
    if (known !== undefined && known.session_id === key.sessionId && known.tenant === key.tenant)
      return known;
    const work = { session, isStale: false };
    this.#underWay.add(work);
    try {
      const { totals, beginning } = await this.#addUp(key, session, timeSlice);
      if (totals.traces === 0) return undefined;
      const stored = totals.toSession(key);
      if (!work.isStale) {
        // A removal changes the number of traces.
        this.#cache.set(session, traces, stored, clock.monotonic());
        if (beginning !== undefined) this.#beginnings.set(session, beginning);
      }
      return stored;
    } finally {
      this.#underWay.delete(work);
    }
  }

  async #addUp(key: SessionKey, session: number, timeSlice: TimeSlice) {
    const { turns, summaryIn } = this.#options;
    let beginning = this.#beginningOf(key, session);
    const totals = beginning?.totals.copy() ?? new SessionTotals();
    let count = beginning?.count ?? 0;
    for await (const turn of turns(key, beginning?.until, timeSlice)) {
      const summary = summaryIn(key, turn);
      if (summary !== undefined) totals.add(summary);
      count++;
      // The figures of a running trace change as time passes.
      if (count % STEP === 0 && !totals.isRunning)
        beginning = { key, totals: totals.copy(), until: turn, count };
      if (timeSlice.isOver()) await timeSlice.next();
    }
    return { totals, beginning };
  }

  /** The first traces of a session, if they are still the same. */
  #beginningOf({ tenant, sessionId }: SessionKey, session: number): Beginning | undefined {
    const known = this.#beginnings.get(session);
    if (known === undefined || known.key.sessionId !== sessionId || known.key.tenant !== tenant)
      return undefined;
    return this.#options.count(session, known.until) === known.count ? known : undefined;
  }
}
