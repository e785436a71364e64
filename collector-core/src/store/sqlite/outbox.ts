import type { AppendOptions } from "../../interfaces.js";
import type { PipelineSpan } from "../../span/pipeline-span.js";
import { RecordWriter, type RecordSink } from "./records/write-records.js";

const BUFFER_BYTES = 256 * 1024;
/** Longest time that spans wait for their buffer to fill. */
const SEND_AFTER_MS = 20;
/** Buffers kept for reuse. */
const MAX_SPARE_BUFFERS = 8;
/** Default of `OutboxOptions.maxUnappliedBytes`. */
const MAX_UNAPPLIED_BYTES = 64 * 2 ** 20;

const NO_BUFFER = Buffer.from(new ArrayBuffer(0));

/** Records on their way to the storage thread. */
export interface SentRecords {
  /** Transferred. */
  readonly bytes: ArrayBuffer;
  /** Bytes used. */
  readonly length: number;
  readonly spans: number;
}

/** Options of {@link Outbox}. */
export interface OutboxOptions {
  /** Transfers records to the thread. {@link Outbox.applied} follows for each, in order. */
  readonly send: (records: SentRecords) => void;
  /** Bytes that may be sent and not applied; more wait. Default: 64 MiB. */
  readonly maxUnappliedBytes?: number | undefined;
}

/** A call of `append` that waits for room. */
interface Waiting {
  readonly spans: readonly PipelineSpan[];
  readonly jsonBytes: number;
  readonly options: AppendOptions;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers spans as records in buffers that are transferred to the storage thread: when full, after 20 ms, or before a
 * question. While too much is sent and not applied, spans wait in order of arrival. Nothing is dropped.
 */
export class Outbox {
  readonly #writer = new RecordWriter();
  readonly #send: OutboxOptions["send"];
  readonly #maxUnappliedBytes: number;
  readonly #unapplied: { readonly bytes: number; readonly spans: number }[] = [];
  #unappliedBytes = 0;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  readonly #spare: ArrayBuffer[] = [];
  #usedBytes = 0;
  #usedSpans = 0;
  #timer: NodeJS.Timeout | undefined;

  readonly #sink = {
    buffer: NO_BUFFER,
    reserve: (bytes: number, spans: number) => this.#reserve(bytes, spans),
  } satisfies RecordSink;

  constructor({ send, maxUnappliedBytes = MAX_UNAPPLIED_BYTES }: OutboxOptions) {
    this.#send = send;
    this.#maxUnappliedBytes = maxUnappliedBytes;
  }

  /** Bytes that are not yet applied: sent, in the open buffer, and of spans that wait for room. */
  get pendingBytes(): number {
    return this.#unappliedBytes + this.#usedBytes + this.#waitingBytes;
  }

  /**
   * Takes spans. Refers to them no longer when it resolves.
   *
   * @returns undefined if there was room.
   */
  append(spans: readonly PipelineSpan[], options: AppendOptions = {}): Promise<void> | undefined {
    if (this.#waiting.length === 0 && this.#hasRoom) {
      this.#write(spans, options);
      return undefined;
    }
    const jsonBytes = this.#writer.jsonBytesOf(spans);
    this.#waitingBytes += jsonBytes;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ spans, jsonBytes, options, resolve, reject });
    });
  }

  /** Sends what was taken. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#usedBytes === 0) return;
    const bytes = this.#sink.buffer.buffer;
    const records = { bytes, length: this.#usedBytes, spans: this.#usedSpans };
    this.#sink.buffer = NO_BUFFER;
    this.#usedBytes = 0;
    this.#usedSpans = 0;
    this.#unapplied.push({ bytes: records.length, spans: records.spans });
    this.#unappliedBytes += records.length;
    this.#send(records);
  }

  /**
   * The thread has applied the records that were sent first.
   *
   * @param bytes - their buffer, to be used again.
   * @returns the number of their spans.
   */
  applied(bytes: ArrayBuffer): number {
    const first = this.#unapplied.shift();
    this.#unappliedBytes -= first?.bytes ?? 0;
    if (bytes.byteLength === BUFFER_BYTES && this.#spare.length < MAX_SPARE_BUFFERS) this.#spare.push(bytes);
    this.#release();
    return first?.spans ?? 0;
  }

  /** Forgets what was sent and not applied, since the thread has died. @returns the number of lost spans. */
  forgetUnapplied(): number {
    let spans = 0;
    for (const sent of this.#unapplied) spans += sent.spans;
    this.#unapplied.length = 0;
    this.#unappliedBytes = 0;
    this.#release();
    return spans;
  }

  /** Forgets all that was taken, and what waits for room. @returns the number of lost spans. */
  discard(): number {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    let spans = this.forgetUnapplied() + this.#usedSpans;
    this.#usedBytes = 0;
    this.#usedSpans = 0;
    for (const { spans: lost, resolve } of waiting) {
      spans += lost.length;
      resolve();
    }
    return spans;
  }

  get #hasRoom(): boolean {
    return this.#unappliedBytes < this.#maxUnappliedBytes;
  }

  #release(): void {
    while (this.#hasRoom) {
      const first = this.#waiting.shift();
      if (first === undefined) return;
      this.#waitingBytes -= first.jsonBytes;
      try {
        this.#write(first.spans, first.options);
        first.resolve();
      } catch (error) {
        first.reject(error);
      }
    }
  }

  #write(spans: readonly PipelineSpan[], options: AppendOptions): void {
    this.#writer.write(spans, options, this.#sink);
    if (this.#usedBytes > 0) this.#timer ??= setTimeout(() => this.flush(), SEND_AFTER_MS);
  }

  #reserve(bytes: number, spans: number): number {
    if (this.#usedBytes + bytes > this.#sink.buffer.length) {
      this.flush();
      this.#sink.buffer = this.#allocate(bytes);
    }
    const offset = this.#usedBytes;
    this.#usedBytes += bytes;
    this.#usedSpans += spans;
    return offset;
  }

  #allocate(bytes: number): Buffer<ArrayBuffer> {
    if (bytes > BUFFER_BYTES) return Buffer.from(new ArrayBuffer(bytes));
    return Buffer.from(this.#spare.pop() ?? new ArrayBuffer(BUFFER_BYTES));
  }
}
