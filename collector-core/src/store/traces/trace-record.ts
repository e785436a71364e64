import type { TraceKey } from "../../interfaces.js";
import type { Hash64 } from "../../hashing/seeded-hash.js";
import { copyText } from "../../span/kept-text.js";
import type { SpanFacts } from "../../span/span-facts.js";
import { NO_SLOT } from "./trace-chain.js";
import type { DroppedSpans } from "./dropped-spans.js";
import type { SessionRecord } from "./session-record.js";
import type { TraceHead } from "./span-rows.js";
import { NO_ROW } from "./span-table.js";
import type { TraceSpanIndex } from "./trace-span-index.js";

/** Measured size of a trace without the characters of its texts, with its entries in the registry. */
const TRACE_BYTES = 320;
/** Size of a text without its characters. */
const TEXT_BYTES = 24;

/** The block of an index that caches the facts of a trace. */
export interface TracePlace {
  /** Number of traces. */
  readonly count: number;
  slotOf(trace: TraceRecord): number;
  /** Drops the cached facts of the trace at a slot. */
  invalidate(slot: number): void;
  remove(trace: TraceRecord): void;
}

/** One trace: the head of its rows and little else, since a store may hold 500,000 (spec 8). */
export class TraceRecord implements TraceKey, TraceHead, Hash64 {
  readonly tenant: string;
  readonly traceId: string;
  /** Hash of the key. */
  readonly lo: number;
  readonly hi: number;
  /** Its slot in the registry. */
  slot = NO_SLOT;

  /** Spans, evaluations apart, in order of arrival. */
  firstSpan = NO_ROW;
  lastSpan = NO_ROW;
  spanCount = 0;
  /** Evaluation spans, which have a separate cap. */
  firstEvaluation = NO_ROW;
  lastEvaluation = NO_ROW;
  evaluationCount = 0;
  /** Spans received, including dropped ones. */
  arrivals = 0;
  /** Totals of the spans that the cap dropped. */
  dropped: DroppedSpans | undefined;
  /**
   * The first session and the first user that a span named, in order of arrival; `""` without one. They are not labels of
   * spans, because nearly every trace has others. They stay when the span is replaced or dropped.
   */
  sessionId = "";
  userId = "";
  isRemoved = false;
  /** Finds its spans by id; undefined for a short trace. */
  index: TraceSpanIndex | undefined;
  /** A Bloom filter of one word over the hashes of all span ids: most new ids need no scan of the rows. */
  #idBits = 0;
  /** Incremented when a span arrives. */
  changes = 0;
  /** Its block in the `TraceIndex`. */
  place: TracePlace | undefined;
  /** Its session in the `SessionIndex`. */
  session: SessionRecord | undefined;

  /** Grows with every trace of the store: the order of first arrival. */
  readonly sequence: number;
  /** True if the trace was evicted before, so that earlier spans are missing. */
  readonly isPartial: boolean;
  /** When its last span arrived (monotonic clock). */
  lastSpanAtMs: number;

  constructor(sequence: number, key: TraceKey, hash: Hash64, isPartial: boolean, nowMs: number) {
    this.tenant = key.tenant;
    this.traceId = key.traceId;
    this.lo = hash.lo;
    this.hi = hash.hi;
    this.sequence = sequence;
    this.isPartial = isPartial;
    this.lastSpanAtMs = nowMs;
  }

  /** Sets session and user, unless an earlier span named them. @returns by how much {@link bytes} has grown. */
  setOwner({ sessionId, userId }: Pick<SpanFacts, "sessionId" | "userId">): number {
    const before = this.bytes;
    if (this.sessionId === "") this.sessionId = copyText(sessionId);
    if (this.userId === "") this.userId = copyText(userId);
    return this.bytes - before;
  }

  /** Adds a span id to the filter. */
  noteSpan(idLo: number): void {
    this.#idBits |= 1 << idLo;
  }

  /** False if no span of that hash has arrived; true may be wrong. */
  mayHaveSpan(idLo: number): boolean {
    return (this.#idBits & (1 << idLo)) !== 0;
  }

  /** Estimated size. */
  get bytes(): number {
    return TRACE_BYTES + this.traceId.length * 2 + bytesOf(this.sessionId) + bytesOf(this.userId);
  }
}

function bytesOf(text: string): number {
  return text === "" ? 0 : TEXT_BYTES + text.length * 2;
}
