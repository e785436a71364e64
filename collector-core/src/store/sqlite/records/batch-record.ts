import type { Span } from "@obspan/sdk/wire";
import { findSpanSlices } from "../../../span/json-slices.js";
import type { BatchContext } from "../../../span/span-facts.js";
import type { TraceRemains } from "../../../span/trace-remains.js";
import { hasSoundContent } from "./record-content.js";
import {
  bitBytes,
  CONTEXT_HEADER_BYTES,
  FORMAT,
  HEADER,
  HEADER_BYTES,
  RECORD_FLAG,
  type ContextTexts,
  type SpanNote,
} from "./record-layout.js";

/** Bytes that are no records. */
export class RecordError extends Error {
  override readonly name = "RecordError";
}

/** The JSON of a span within `bytes`. */
export interface SpanJson {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/**
 * Reads the records in `bytes` from `start` to `end`. Records refer to `bytes`.
 *
 * @throws RecordError if the bytes are no records.
 */
export function* readRecords(bytes: Buffer, start = 0, end = bytes.length): Generator<BatchRecord> {
  for (let at = start; at < end;) {
    const record = new BatchRecord(bytes, at, end);
    yield record;
    at = record.end;
  }
}

/** The body has at least `{}` or `null`, and a comma, for each span. */
const MIN_SPAN_BYTES = 3;

/** Spans of one record, as `RecordWriter` wrote them. An ordinal of a span is its index, over all records of a chunk. */
export class BatchRecord {
  readonly start: number;
  readonly end: number;
  /** Spans, removed ones included. */
  readonly spanCount: number;
  readonly isImport: boolean;
  /** The record is in place of one whose bytes were damaged. */
  readonly isLost: boolean;

  readonly #bytes: Buffer;
  readonly #flags: number;
  readonly #contextsEnd: number;
  readonly #notesStart: number;
  readonly #bodyStart: number;
  #contexts: readonly { readonly from: number; readonly context: BatchContext }[] | undefined;
  #notes: ReadonlyMap<number, SpanNote> | undefined;
  #slices: Slices | undefined;
  #soundness: { readonly problem: Error | undefined } | undefined;

  constructor(bytes: Buffer, start: number, limit: number) {
    if (start + HEADER_BYTES > limit) throw new RecordError("The header of a record is cut off.");
    const format = bytes[start + HEADER.format];
    if (format !== FORMAT)
      throw new RecordError(`A record has format ${format}; this version reads ${FORMAT}.`);
    this.#bytes = bytes;
    this.#flags = bytes[start + HEADER.flags] as number;
    this.start = start;
    this.end = start + bytes.readUInt32LE(start + HEADER.length);
    this.spanCount = bytes.readUInt32LE(start + HEADER.spanCount);
    this.isImport = (this.#flags & RECORD_FLAG.isImport) !== 0;
    this.isLost = (this.#flags & RECORD_FLAG.isLost) !== 0;
    this.#contextsEnd = start + HEADER_BYTES + bytes.readUInt32LE(start + HEADER.contextBytes);
    this.#notesStart =
      this.#contextsEnd + this.#bitBytes(RECORD_FLAG.hasUncounted) + this.#bitBytes(RECORD_FLAG.hasRemoved);
    this.#bodyStart = this.#notesStart + bytes.readUInt32LE(start + HEADER.noteBytes);
    if (this.end > limit || this.#bodyStart > this.end) throw new RecordError("A record is cut off.");
    if (this.spanCount * MIN_SPAN_BYTES > this.end - this.#bodyStart)
      throw new RecordError("A record is too short for its spans.");
  }

  /**
   * What is wrong with the content of the record; undefined if it is what `RecordWriter` writes. An intact checksum does not say
   * who has written a chunk. Reads the whole record when it is asked first, and must be asked before any of the spans is read.
   */
  get problem(): Error | undefined {
    this.#soundness ??= { problem: this.#findProblem() };
    return this.#soundness.problem;
  }

  #findProblem(): Error | undefined {
    try {
      const spans: unknown = this.parse();
      const contexts = (this.#contexts ??= this.#readContexts());
      const notes = [...(this.#notes ??= this.#readNotes()).values()];
      const isRemoved = (index: number): boolean => this.isOmitted(index);
      if (hasSoundContent({ spans, spanCount: this.spanCount, contexts, notes, isRemoved })) return undefined;
      return new RecordError("A record has another content than it should have.");
    } catch (error) {
      return new RecordError("A record cannot be read.", { cause: error });
    }
  }

  contextOf(index: number): BatchContext {
    const contexts = (this.#contexts ??= this.#readContexts());
    let low = 0;
    for (let high = contexts.length - 1; low < high;) {
      const middle = (low + high + 1) >>> 1;
      if ((contexts[middle]?.from ?? 0) <= index) low = middle;
      else high = middle - 1;
    }
    const found = contexts[low];
    if (found === undefined) throw new RecordError("A record has no context.");
    return found.context;
  }

  /** The id that was generated for a span without a usable one. */
  generatedSpanIdOf(index: number): string | undefined {
    return this.noteOf(index)?.[1] ?? undefined;
  }

  /** The labels of a span that the collector created, which its JSON does not have. */
  labelsOf(index: number): { readonly model: string; readonly agent: string } | undefined {
    const labels = this.noteOf(index)?.[2] ?? undefined;
    return labels && { model: labels[0], agent: labels[1] };
  }

  /** What a file tells of the trace of a span beside its spans, for a trace that this span creates. */
  remainsOf(index: number): TraceRemains | undefined {
    return this.noteOf(index)?.[3] ?? undefined;
  }

  /** The cost that the collector computed for a span. */
  computedCostOf(index: number): number | undefined {
    return this.noteOf(index)?.[4];
  }

  countsUsage(index: number): boolean {
    return !this.#hasBit(RECORD_FLAG.hasUncounted, this.#contextsEnd, index);
  }

  /** True if the span was removed; its ordinal remains. */
  isOmitted(index: number): boolean {
    const start = this.#contextsEnd + this.#bitBytes(RECORD_FLAG.hasUncounted);
    return this.#hasBit(RECORD_FLAG.hasRemoved, start, index);
  }

  /** Parses all spans; null for removed ones. Generated ids are not in them. */
  parse(): readonly (Span | null)[] {
    const { spans } = JSON.parse(this.#bytes.toString("utf8", this.#bodyStart, this.end)) as {
      spans: (Span | null)[];
    };
    return spans;
  }

  /** The JSON of a span without its generated id; undefined if it was removed. The first call scans the record. */
  jsonOf(index: number): SpanJson | undefined {
    if (this.isOmitted(index)) return undefined;
    const { bytes, offset, found, positions } = (this.#slices ??= this.#findSlices());
    const position = positions === undefined ? index : (positions[index] as number);
    const start = found[position * 2];
    const end = found[position * 2 + 1];
    if (start === undefined || end === undefined) throw new RangeError(`The record has no span ${index}.`);
    return { bytes, start: offset + start, end: offset + end };
  }

  #findSlices(): Slices {
    const positions = (this.#flags & RECORD_FLAG.hasRemoved) === 0 ? undefined : this.#positions();
    const count = positions === undefined ? this.spanCount : (positions[this.spanCount] as number);
    const offset = this.#bodyStart;
    const found = findSpanSlices(this.#bytes.subarray(offset, this.end), count);
    if (found !== undefined) return { bytes: this.#bytes, offset, found, positions };
    // The scan needs JSON without duplicate or escaped keys: it is written again.
    const bytes = Buffer.from(JSON.stringify({ spans: this.parse() }));
    const again = findSpanSlices(bytes, count);
    if (again === undefined) throw new RecordError(`A record of ${count} spans cannot be told apart.`);
    return { bytes, offset: 0, found: again, positions };
  }

  /** For each span the number of remaining spans before it, and last their number. */
  #positions(): Int32Array {
    const positions = new Int32Array(this.spanCount + 1);
    let count = 0;
    for (let index = 0; index < this.spanCount; index++) {
      positions[index] = count;
      if (!this.isOmitted(index)) count++;
    }
    positions[this.spanCount] = count;
    return positions;
  }

  #bitBytes(flag: number): number {
    return (this.#flags & flag) === 0 ? 0 : bitBytes(this.spanCount);
  }

  #hasBit(flag: number, start: number, index: number): boolean {
    if ((this.#flags & flag) === 0) return false;
    return ((this.#bytes[start + (index >>> 3)] as number) & (1 << (index & 7))) !== 0;
  }

  /** What is known of a span beside its JSON. */
  noteOf(index: number): SpanNote | undefined {
    if (this.#notesStart === this.#bodyStart) return undefined;
    return (this.#notes ??= this.#readNotes()).get(index);
  }

  #readNotes(): ReadonlyMap<number, SpanNote> {
    if (this.#notesStart === this.#bodyStart) return new Map();
    const text = this.#bytes.toString("utf8", this.#notesStart, this.#bodyStart);
    return new Map((JSON.parse(text) as SpanNote[]).map((note) => [note[0], note]));
  }

  #readContexts(): { from: number; context: BatchContext }[] {
    const bytes = this.#bytes;
    const contexts = [];
    for (let at = this.start + HEADER_BYTES; at < this.#contextsEnd;) {
      const textsAt = at + CONTEXT_HEADER_BYTES;
      const textsEnd = textsAt + bytes.readUInt32LE(at + 4);
      const [tenant, service, env, version] = readTexts(bytes, textsAt, textsEnd);
      const receivedAtMs = bytes.readDoubleLE(at + 8);
      const context = { tenant, service, env, version: version ?? undefined, receivedAtMs };
      contexts.push({ from: bytes.readUInt32LE(at), context });
      at = textsEnd;
    }
    return contexts;
  }
}

/** Where the remaining spans are. */
interface Slices {
  readonly bytes: Buffer;
  readonly offset: number;
  /** Start and end of each span, alternating. */
  readonly found: Int32Array;
  /** The position in `found` of each span; undefined if none was removed. */
  readonly positions: Int32Array | undefined;
}

let lastBytes = Buffer.alloc(0);
let lastTexts: ContextTexts = ["", "", "", null];

/** Parses the texts of a context. Most records have the same as the one before. */
function readTexts(bytes: Buffer, start: number, end: number): ContextTexts {
  if (lastBytes.length === end - start && lastBytes.compare(bytes, start, end) === 0) return lastTexts;
  const texts = JSON.parse(bytes.toString("utf8", start, end)) as ContextTexts;
  lastBytes = Buffer.from(bytes.subarray(start, end));
  return (lastTexts = texts);
}
