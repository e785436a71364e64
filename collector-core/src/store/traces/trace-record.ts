import type { TraceKey } from "../../interfaces.js";
import type { Hash64 } from "../../hashing/seeded-hash.js";
import { NO_SLOT } from "./trace-chain.js";
import type { DroppedSpans } from "./dropped-spans.js";
import type { TraceHead } from "./span-rows.js";
import { NO_ROW } from "./span-table.js";
import type { TraceSpanIndex } from "./trace-span-index.js";

/** What a trace costs beside the characters of its key, its place in the orders and tables included, by measurement. */
const TRACE_BYTES = 304;

/** Where an index keeps what the spans of a trace say together. */
export interface TracePlace {
  /** Traces in it. */
  readonly count: number;
  slotOf(trace: TraceRecord): number;
  /** Forgets what is known of the trace at a slot. */
  forget(slot: number): void;
  remove(trace: TraceRecord): void;
}

/** One trace: the head of its rows and little else, for there may be 500,000 (spec 8). */
export class TraceRecord implements TraceKey, TraceHead, Hash64 {
  readonly tenant: string;
  readonly traceId: string;
  /** Of the key. */
  readonly lo: number;
  readonly hi: number;
  /** Its place in the registry. */
  slot = NO_SLOT;

  /** Spans, evaluations apart, in order of arrival. */
  firstSpan = NO_ROW;
  lastSpan = NO_ROW;
  spanCount = 0;
  /** Evaluation spans, which have a cap of their own. */
  firstEvaluation = NO_ROW;
  lastEvaluation = NO_ROW;
  evaluationCount = 0;
  /** Spans that have come, kept or not. */
  arrivals = 0;
  /** What is known of the spans that the cap dropped. */
  dropped: DroppedSpans | undefined;
  isRemoved = false;
  /** Finds its spans by id; undefined for a short trace. */
  index: TraceSpanIndex | undefined;
  /** One bit of the hash of each span id that has come: most ids that are new are told without a look at the rows. */
  #idBits = 0;
  /** Grows whenever a span comes, goes or is replaced. */
  changes = 0;
  /** Where what its spans say together is kept; `TraceIndex`. */
  place: TracePlace | undefined;

  constructor(
    /** Grows with every trace of the store: the order of first arrival. */
    readonly sequence: number,
    { tenant, traceId }: TraceKey,
    { lo, hi }: Hash64,
    readonly isPartial: boolean,
    /** Monotonic clock. */
    public lastSpanAtMs: number,
  ) {
    this.tenant = tenant;
    this.traceId = traceId;
    this.lo = lo;
    this.hi = hi;
  }

  /** Notes the hash of a span id. */
  noteSpan(idLo: number): void {
    this.#idBits |= 1 << idLo;
  }

  /** False where no span of that hash has come; true may be a mistake. */
  mayHaveSpan(idLo: number): boolean {
    return (this.#idBits & (1 << idLo)) !== 0;
  }

  /** An estimate of the memory it takes. */
  get bytes(): number {
    return TRACE_BYTES + this.traceId.length * 2;
  }
}
