import type { TraceKey } from "../interfaces.js";
import type { DroppedSpans } from "./dropped-spans.js";
import { NO_ROW } from "./span-table.js";
import type { TraceFacts } from "./trace-facts.js";

/** What a trace costs on the heap beside the characters of its key, by measurement. */
const TRACE_BYTES = 430;

/** One trace: the head of its rows and little else, for there may be 500,000 (spec 8). */
export class TraceRecord implements TraceKey {
  /** Neighbours by creation and by last span, kept by {@link TraceChain}. */
  older: TraceRecord | undefined;
  newer: TraceRecord | undefined;
  quieter: TraceRecord | undefined;
  livelier: TraceRecord | undefined;

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
  /** Its spans are in the index by span id: of a short trace they are not. */
  isIndexed = false;
  /** Grows whenever a span comes, goes or is replaced. */
  changes = 0;
  /** What the spans say together, where somebody has asked since the last change; kept by `TraceIndex`. */
  facts: TraceFacts | undefined;
  /** Of the texts searched for last, one bit each: whether it was looked for here, and was found; `SearchedTexts`. */
  searchedTexts = 0;
  foundTexts = 0;

  constructor(
    /** Grows with every trace of the store: the order of first arrival. */
    readonly sequence: number,
    readonly tenant: string,
    readonly traceId: string,
    readonly isPartial: boolean,
    /** Monotonic clock. */
    public lastSpanAtMs: number,
  ) {}

  /** An estimate of the heap it takes. */
  get bytes(): number {
    return TRACE_BYTES + this.traceId.length * 2;
  }
}

/**
 * All traces in one order, as a chain through the traces themselves: adding, removing and the first are O(1), where a
 * Map's first key is found only by walking over all that were deleted before it.
 */
export class TraceChain {
  first: TraceRecord | undefined;
  last: TraceRecord | undefined;

  constructor(
    private readonly before: "older" | "quieter",
    private readonly after: "newer" | "livelier",
  ) {}

  append(trace: TraceRecord): void {
    trace[this.before] = this.last;
    if (this.last === undefined) this.first = trace;
    else this.last[this.after] = trace;
    this.last = trace;
  }

  remove(trace: TraceRecord): void {
    const before = trace[this.before];
    const after = trace[this.after];
    if (before === undefined) this.first = after;
    else before[this.after] = after;
    if (after === undefined) this.last = before;
    else after[this.before] = before;
    trace[this.before] = undefined;
    trace[this.after] = undefined;
  }

  moveToEnd(trace: TraceRecord): void {
    if (this.last === trace) return;
    this.remove(trace);
    this.append(trace);
  }

  clear(): void {
    this.first = undefined;
    this.last = undefined;
  }
}
