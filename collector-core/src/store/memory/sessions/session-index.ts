import type { SessionKey } from "../../../interfaces.js";
import { SessionRecord } from "../../traces/session-record.js";
import { NO_SLOT } from "../../traces/trace-chain.js";
import type { TraceRecord } from "../../traces/trace-record.js";

const FIRST_SLOTS = 64;
/** The previous slot and the next one. */
const LINKS = 2;

/**
 * The sessions of a store with their traces, found by tenant and id. A trace is linked by the number of its slot, in one array for
 * all sessions: a trace object refers to its session only.
 */
export class SessionIndex {
  readonly #traceAt: (slot: number) => TraceRecord | undefined;
  readonly #tenants = new Map<string, Map<string, SessionRecord>>();
  #links = new Int32Array(0);
  #bytes = 0;

  /** @param traceAt - the trace at a slot. */
  constructor(traceAt: (slot: number) => TraceRecord | undefined) {
    this.#traceAt = traceAt;
  }

  /** Estimated size. */
  get bytes(): number {
    return this.#bytes + this.#links.byteLength;
  }

  /** Adds a trace that names its session. It must be part of the store. */
  join(trace: TraceRecord): void {
    const session = this.#sessionOf(trace);
    const { slot } = trace;
    const at = slot * LINKS;
    if (at >= this.#links.length) this.#grow(at);
    this.#links[at] = session.last;
    this.#links[at + 1] = NO_SLOT;
    if (session.last === NO_SLOT) session.first = slot;
    else this.#links[session.last * LINKS + 1] = slot;
    session.last = slot;
    session.count++;
    session.changes++;
    session.newestSequence = Math.max(session.newestSequence, trace.sequence);
    trace.session = session;
  }

  #sessionOf({ tenant, sessionId }: TraceRecord): SessionRecord {
    let sessions = this.#tenants.get(tenant);
    if (sessions === undefined) this.#tenants.set(tenant, (sessions = new Map<string, SessionRecord>()));
    let session = sessions.get(sessionId);
    if (session === undefined) {
      session = new SessionRecord({ tenant, sessionId });
      sessions.set(sessionId, session);
      this.#bytes += session.bytes;
    }
    return session;
  }

  /** Removes a trace that is still part of the store. */
  leave(trace: TraceRecord): void {
    const { session, slot } = trace;
    if (session === undefined) return;
    const before = this.#links[slot * LINKS] as number;
    const after = this.#links[slot * LINKS + 1] as number;
    if (before === NO_SLOT) session.first = after;
    else this.#links[before * LINKS + 1] = after;
    if (after === NO_SLOT) session.last = before;
    else this.#links[after * LINKS] = before;
    session.changes++;
    trace.session = undefined;
    if (--session.count === 0) this.#remove(session);
  }

  #remove(session: SessionRecord): void {
    const sessions = this.#tenants.get(session.tenant);
    sessions?.delete(session.sessionId);
    if (sessions?.size === 0) this.#tenants.delete(session.tenant);
    this.#bytes -= session.bytes;
  }

  find({ tenant, sessionId }: SessionKey): SessionRecord | undefined {
    return this.#tenants.get(tenant)?.get(sessionId);
  }

  /** The tenants that have a session of that id. */
  tenantsOf(sessionId: string): string[] {
    return [...this.#tenants].flatMap(([tenant, sessions]) => (sessions.has(sessionId) ? [tenant] : []));
  }

  /** The sessions of a tenant, or of all. */
  list(tenant: string | undefined): SessionRecord[] {
    const listed: SessionRecord[] = [];
    for (const [each, sessions] of this.#tenants)
      if (tenant === undefined || tenant === each)
        for (const session of sessions.values()) listed.push(session);
    return listed;
  }

  /** The traces of a session, in the order in which they named it. */
  tracesOf(session: SessionRecord): TraceRecord[] {
    const traces: TraceRecord[] = [];
    for (let slot = session.first; slot !== NO_SLOT; slot = this.#links[slot * LINKS + 1] as number) {
      const trace = this.#traceAt(slot);
      if (trace !== undefined) traces.push(trace);
    }
    return traces;
  }

  clear(): void {
    this.#tenants.clear();
    this.#links = new Int32Array(0);
    this.#bytes = 0;
  }

  #grow(at: number): void {
    const larger = new Int32Array(Math.max(FIRST_SLOTS * LINKS, this.#links.length * 2, at + LINKS));
    larger.set(this.#links);
    this.#links = larger;
  }
}
