import type { TurnOrder } from "../api-schema/sessions.js";
import type { TraceFilter, TraceSummary } from "../api-schema/trace.js";
import type { SessionKey, SessionTraces, TraceKey, TraceStore } from "../interfaces.js";

/** Turns per question to the store. */
const TURNS_PER_PAGE = 100;
/** Sessions per question to the store: each has texts of a few kilobytes. */
const SESSIONS_PER_PAGE = 20;

/** A session page by page. */
export async function* sessionPages(
  traces: TraceStore,
  key: SessionKey,
  order: TurnOrder,
  connected: AbortSignal,
): AsyncGenerator<SessionTraces, void> {
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const query = { order, limit: TURNS_PER_PAGE, ...(cursor !== undefined && { cursor }) };
    const page = await traces.session(key, query, connected);
    if (page === undefined) return;
    yield page;
    cursor = page.nextCursor;
  }
}

/** The keys of the traces of pages. */
export async function* keyPages(
  pages: AsyncIterable<SessionTraces>,
): AsyncGenerator<readonly TraceKey[], void> {
  for await (const { traces } of pages) yield traces.map(keyOf);
}

/** All traces of the sessions that match, session by session, the latest one first. Each session has its traces in order of start. */
export async function* tracesOfSessions(
  traces: TraceStore,
  filter: TraceFilter,
  connected: AbortSignal,
): AsyncGenerator<readonly TraceKey[], void> {
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const query = { ...filter, limit: SESSIONS_PER_PAGE, ...(cursor !== undefined && { cursor }) };
    const { sessions, nextCursor } = await traces.sessions(query, connected);
    for (const { tenant, session_id: sessionId } of sessions)
      yield* keyPages(sessionPages(traces, { tenant, sessionId }, "oldest", connected));
    cursor = nextCursor;
  }
}

export function keyOf({ tenant, trace_id: traceId }: TraceSummary): TraceKey {
  return { tenant, traceId };
}
