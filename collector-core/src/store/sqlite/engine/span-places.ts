import { DamageError, sealBytes, unsealBytes } from "../records/sealed.js";

/** Where the JSON of a span is. */
export interface SpanPlace {
  readonly chunk: number;
  /** Position among all spans of the chunk. */
  readonly ordinal: number;
}

/** A stored span of a trace. */
export interface PlacedSpan extends SpanPlace {
  /** Position by arrival in its trace, dropped spans included. */
  readonly arrival: number;
  /** A part of the hash of its id: finds a span without reading the others. */
  readonly idHash: number;
  /** A child of type llm was dropped: it stays a wrapper. */
  readonly isWrapper: boolean;
  /** Store time at which a running span arrived; undefined for one that has ended. */
  readonly seenMs: number | undefined;
}

/** The stored spans of a trace, each list in order of arrival. */
export interface TracePlaces {
  /** Spans received, dropped ones included. */
  readonly arrivals: number;
  readonly spans: readonly PlacedSpan[];
  readonly evaluations: readonly PlacedSpan[];
  /** Chunks that only have spans of the trace that were replaced or dropped, ascending. */
  readonly staleChunks: readonly number[];
}

/** The places of a trace whose places cannot be read. */
export const NO_PLACES: TracePlaces = { arrivals: 0, spans: [], evaluations: [], staleChunks: [] };

const FORMAT = 2;
/** As version 1 of the file has it: without a checksum. */
const FORMAT_WITHOUT_SEAL = 1;
const TAG = { nextOrdinal: 1, nextArrival: 2, wrapper: 4, running: 8 } as const;
const MAX_VARINT_BYTES = 8;
/** A tag, two varints for the chunk and the ordinal, one for the arrival, the hash and the time. */
const MAX_SPAN_BYTES = 1 + 3 * MAX_VARINT_BYTES + 4 + 8;

/** Encodes places in about five bytes for each span: consecutive spans of a batch differ by one. */
export function encodePlaces({ arrivals, spans, evaluations, staleChunks }: TracePlaces): Uint8Array {
  const maxBytes =
    (6 + staleChunks.length) * MAX_VARINT_BYTES + (spans.length + evaluations.length) * MAX_SPAN_BYTES;
  const bytes = Buffer.allocUnsafe(maxBytes);
  let at = bytes.writeUInt8(FORMAT, 0);
  at = writeVarint(bytes, at, arrivals);
  at = writeVarint(bytes, at, spans.length);
  at = writeVarint(bytes, at, evaluations.length);
  let previous: PlacedSpan | undefined;
  for (const chain of [spans, evaluations]) {
    let arrival = -1;
    for (const span of chain) {
      const isNext = previous?.chunk === span.chunk && previous.ordinal + 1 === span.ordinal;
      const isNextArrival = arrival + 1 === span.arrival;
      const tag =
        (isNext ? TAG.nextOrdinal : 0) |
        (isNextArrival ? TAG.nextArrival : 0) |
        (span.isWrapper ? TAG.wrapper : 0) |
        (span.seenMs === undefined ? 0 : TAG.running);
      at = bytes.writeUInt8(tag, at);
      if (!isNext) {
        at = writeVarint(bytes, at, zigzag(span.chunk - (previous?.chunk ?? 0)));
        at = writeVarint(bytes, at, span.ordinal);
      }
      if (!isNextArrival) at = writeVarint(bytes, at, span.arrival - arrival);
      at = bytes.writeInt32LE(span.idHash, at);
      if (span.seenMs !== undefined) at = bytes.writeDoubleLE(span.seenMs, at);
      arrival = span.arrival;
      previous = span;
    }
  }
  at = writeVarint(bytes, at, staleChunks.length);
  let last = 0;
  for (const chunk of staleChunks) {
    at = writeVarint(bytes, at, chunk - last);
    last = chunk;
  }
  return bytes.subarray(0, sealBytes(bytes, at));
}

/** @throws DamageError if the bytes are not what {@link encodePlaces} returned. */
export function decodePlaces(blob: unknown): TracePlaces {
  // A column of another writer may be NULL.
  if (!(blob instanceof Uint8Array)) throw new DamageError("Places of spans are missing.");
  const bytes = Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength);
  const isSealed = bytes[0] !== FORMAT_WITHOUT_SEAL;
  const reader = new VarintReader(isSealed ? unsealBytes(bytes) : bytes);
  const format = reader.byte();
  if (isSealed && format !== FORMAT)
    throw new DamageError(`Places of spans in the unknown format ${format}.`);
  const arrivals = reader.varint();
  const counts = [reader.varint(), reader.varint()];
  let previous: PlacedSpan | undefined;
  const [spans = [], evaluations = []] = counts.map((count) => {
    const chain: PlacedSpan[] = [];
    let arrival = -1;
    for (let index = 0; index < count; index++) {
      const tag = reader.byte();
      let chunk = previous?.chunk ?? 0;
      let ordinal = (previous?.ordinal ?? -1) + 1;
      if ((tag & TAG.nextOrdinal) === 0) {
        chunk += unzigzag(reader.varint());
        ordinal = reader.varint();
      }
      arrival += (tag & TAG.nextArrival) === 0 ? reader.varint() : 1;
      const isWrapper = (tag & TAG.wrapper) !== 0;
      const idHash = reader.int32();
      const seenMs = (tag & TAG.running) === 0 ? undefined : reader.double();
      previous = { chunk, ordinal, arrival, idHash, isWrapper, seenMs };
      chain.push(previous);
    }
    return chain;
  });
  let last = 0;
  const staleChunks: number[] = [];
  for (let left = reader.varint(); left > 0; left--) staleChunks.push((last += reader.varint()));
  return { arrivals, spans, evaluations, staleChunks };
}

/** The distinct chunks of the stored spans of a trace. */
export function chunksOf({ spans, evaluations }: Pick<TracePlaces, "spans" | "evaluations">): Set<number> {
  const chunks = new Set<number>();
  for (const { chunk } of spans) chunks.add(chunk);
  for (const { chunk } of evaluations) chunks.add(chunk);
  return chunks;
}

/** The newest chunk with a span of a trace, stored or not; 0 without one. */
export function newestChunkIn({ spans, evaluations, staleChunks }: TracePlaces): number {
  let newest = staleChunks.at(-1) ?? 0;
  for (const { chunk } of spans) newest = Math.max(newest, chunk);
  for (const { chunk } of evaluations) newest = Math.max(newest, chunk);
  return newest;
}

function zigzag(value: number): number {
  return value < 0 ? -value * 2 - 1 : value * 2;
}

function unzigzag(value: number): number {
  return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
}

function writeVarint(bytes: Buffer, at: number, value: number): number {
  let rest = value;
  let end = at;
  while (rest >= 0x80) {
    bytes[end++] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  bytes[end++] = rest;
  return end;
}

class VarintReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new DamageError("Places of spans end too early.");
    return byte;
  }

  #require(bytes: number): void {
    if (this.#at + bytes > this.#bytes.length) throw new DamageError("Places of spans end too early.");
  }

  varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  double(): number {
    this.#require(8);
    const value = this.#bytes.readDoubleLE(this.#at);
    this.#at += 8;
    return value;
  }

  int32(): number {
    this.#require(4);
    const value = this.#bytes.readInt32LE(this.#at);
    this.#at += 4;
    return value;
  }
}
