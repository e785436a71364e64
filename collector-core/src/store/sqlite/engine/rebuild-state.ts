import type { TraceKey } from "../../../interfaces.js";
import { traceKeyText } from "../../../span/trace-key-text.js";

/** A trace that has spans from before and from after the start of the rebuild. It is indexed again at the end, from its chunks. */
export interface LeftOutTrace {
  readonly key: TraceKey;
  /** Its sequence by its first span; undefined if its row has that already. */
  readonly sequence: number | undefined;
  /** Its sequence if its earlier spans turn out to be expired; undefined if its row has that already. */
  readonly newSequence: number | undefined;
  /** Chunks with spans that the rebuild left out, ascending. */
  readonly chunks: number[];
}

/** How far a rebuild has come. */
interface Position {
  /** The last chunk that was replayed. */
  readonly chunk: number;
  /** Store time of its last record. */
  readonly closedMs: number;
  /** The sequence of the newest trace that was replayed. */
  readonly sequence: number;
}

/** What a rebuild begins with. */
export interface RebuildRange {
  /** The first chunk, and the last one of the time before the start. Later chunks have the spans that arrive meanwhile. */
  readonly firstChunk: number;
  readonly lastChunk: number;
  /** The sequences up to here are for traces from before the start, so that all others are newer. */
  readonly lastSequence: number;
}

/**
 * The state of a rebuild that runs beside appends. It outlives a rollback, but not the process: an interrupted rebuild begins
 * again. One entry for each trace that receives spans during the rebuild and has earlier ones; none for all others.
 */
export class RebuildState {
  #range: RebuildRange | undefined;
  #position: Position = { chunk: 0, closedMs: 0, sequence: 0 };
  #committed = this.#position;
  readonly #leftOut = new Map<string, LeftOutTrace>();
  /** Changes of the entries since the last commit. */
  #added: string[] = [];
  #removed: LeftOutTrace[] = [];

  /** Sets the range; the first call counts. */
  begin(range: () => RebuildRange): RebuildRange {
    return (this.#range ??= range());
  }

  get range(): RebuildRange | undefined {
    return this.#range;
  }

  get position(): Position {
    return this.#position;
  }

  /** The share of the chunks that is indexed, from 0 to 1. */
  get progress(): number {
    if (this.#range === undefined) return 0;
    const { firstChunk, lastChunk } = this.#range;
    const chunks = lastChunk - firstChunk + 1;
    return chunks <= 0 ? 1 : Math.min(1, Math.max(0, this.#position.chunk - firstChunk + 1) / chunks);
  }

  /** A chunk was replayed. */
  moveTo(chunk: number, closedMs: number): void {
    this.#position = { ...this.#position, chunk, closedMs };
  }

  /** The next sequence for a trace from before the start; undefined if the file had wrong counts and none is left. */
  takeSequence(): number | undefined {
    const sequence = this.#position.sequence + 1;
    if (sequence > (this.#range?.lastSequence ?? 0)) return undefined;
    this.#position = { ...this.#position, sequence };
    return sequence;
  }

  find(key: TraceKey): LeftOutTrace | undefined {
    return this.#leftOut.get(traceKeyText(key));
  }

  /** Any of the traces that are left out; undefined without one. */
  get next(): LeftOutTrace | undefined {
    for (const trace of this.#leftOut.values()) return trace;
    return undefined;
  }

  /** The traces that are left out. */
  leftOut(): Iterable<LeftOutTrace> {
    return this.#leftOut.values();
  }

  add(trace: LeftOutTrace): void {
    const text = traceKeyText(trace.key);
    this.#leftOut.set(text, trace);
    this.#added.push(text);
  }

  /** @returns the trace, if it was left out. */
  remove(key: TraceKey): LeftOutTrace | undefined {
    const text = traceKeyText(key);
    const trace = this.#leftOut.get(text);
    if (trace === undefined) return undefined;
    this.#leftOut.delete(text);
    this.#removed.push(trace);
    return trace;
  }

  commit(): void {
    this.#committed = this.#position;
    this.#added = [];
    this.#removed = [];
  }

  /** Returns to the last commit. A chunk that is listed too early does no harm. */
  rollBack(): void {
    this.#position = this.#committed;
    for (const trace of this.#removed) this.#leftOut.set(traceKeyText(trace.key), trace);
    for (const text of this.#added) this.#leftOut.delete(text);
    this.#added = [];
    this.#removed = [];
  }
}
