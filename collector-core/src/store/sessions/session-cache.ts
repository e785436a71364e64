import { LRUCache } from "lru-cache";
import type { StoredSession } from "../../interfaces.js";

/** The figures of a shorter session are added up each time. */
const MIN_TRACES = 64;
/** At most 5 MB: a session with the longest texts has 20 KB. */
const MAX_SESSIONS = 256;
/** A trace stops running as time passes, without a span. */
const RUNNING_MS = 1000;

interface Entry {
  readonly session: StoredSession;
  readonly version: number;
  readonly untilMs: number;
}

/** Keeps the figures of long sessions, so that a list adds them up once until one of their traces changes. */
export class SessionCache<Key extends object | number> {
  readonly #entries = new LRUCache<Key, Entry>({ max: MAX_SESSIONS });

  /** @param version - must be that of {@link set}. */
  get(key: Key, version: number, nowMs: number): StoredSession | undefined {
    const entry = this.#entries.get(key);
    return entry?.version === version && nowMs < entry.untilMs ? entry.session : undefined;
  }

  set(key: Key, version: number, session: StoredSession, nowMs: number): void {
    if (session.traces < MIN_TRACES) return;
    const untilMs = session.running ? nowMs + RUNNING_MS : Number.POSITIVE_INFINITY;
    this.#entries.set(key, { session, version, untilMs });
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}
