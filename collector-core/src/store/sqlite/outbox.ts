import type { AppendOptions } from "../../interfaces.js";
import type { Clock } from "../../runtime/clock.js";
import type { PipelineSpan } from "../../span/pipeline-span.js";
import { RecordWriter, type RecordSink } from "./records/write-records.js";

const BUFFER_BYTES = 256 * 1024;
/** Longest time that spans wait for their buffer to fill. */
const SEND_AFTER_MS = 20;
/** Buffers kept for reuse. */
const MAX_SPARE_BUFFERS = 8;
/** Default of `OutboxOptions.maxUnappliedBytes`. */
const MAX_UNAPPLIED_BYTES = 64 * 2 ** 20;
/** What is sent is applied in about this time, as fast as the thread was lately: a question waits for what was sent before it. */
const APPLIED_WITHIN_MS = 2000;
/** So many bytes may be on their way however slow the thread is: it must not wait for more. */
const MIN_UNAPPLIED_BYTES = 8 * 2 ** 20;

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
  /** Bytes that may be sent and not applied, if the thread applies them within two seconds; more wait. Default: 64 MiB. */
  readonly maxUnappliedBytes?: number | undefined;
  readonly clock: Pick<Clock, "monotonic">;
}

/** How fast the thread applied records lately. The time of questions between them counts: it is theirs too. */
class ApplySpeed {
  #bytes = 0;
  #ms = 0;

  add(bytes: number, ms: number): void {
    this.#bytes += bytes;
    this.#ms += ms;
    if (this.#ms < SPEED_MS) return;
    this.#bytes /= 2;
    this.#ms /= 2;
  }

  /** Any number while little is known. @param underWayMs - of records that are not applied yet: a disk may not answer. */
  bytesWithin(ms: number, underWayMs: number): number {
    const known = this.#ms + underWayMs;
    return known < LEAST_SPEED_MS ? Number.POSITIVE_INFINITY : (this.#bytes / known) * ms;
  }
}

/** Work of the thread after which what was before counts half. */
const SPEED_MS = 4000;
/** Less work of the thread says little of its speed. */
const LEAST_SPEED_MS = 250;

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
 * question. While more is sent and not applied than the thread applies in two seconds, spans wait in order of arrival. Nothing is dropped.
 */
export class Outbox {
  readonly #writer = new RecordWriter();
  readonly #send: OutboxOptions["send"];
  readonly #maxUnappliedBytes: number;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #speed = new ApplySpeed();
  readonly #unapplied: { readonly bytes: number; readonly spans: number; readonly sentAtMs: number }[] = [];
  #appliedAtMs = Number.NEGATIVE_INFINITY;
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

  constructor({ send, maxUnappliedBytes = MAX_UNAPPLIED_BYTES, clock }: OutboxOptions) {
    this.#send = send;
    this.#clock = clock;
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
    this.#unapplied.push({
      bytes: records.length,
      spans: records.spans,
      sentAtMs: this.#clock.monotonic(),
    });
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
    const underWayMs = this.#underWayMs;
    const first = this.#unapplied.shift();
    this.#appliedAtMs = this.#clock.monotonic();
    if (first !== undefined) {
      this.#unappliedBytes -= first.bytes;
      this.#speed.add(first.bytes, underWayMs);
    }
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
    if (this.#unappliedBytes < MIN_UNAPPLIED_BYTES) return this.#unappliedBytes < this.#maxUnappliedBytes;
    const soon = this.#speed.bytesWithin(APPLIED_WITHIN_MS, this.#underWayMs);
    return this.#unappliedBytes < Math.min(this.#maxUnappliedBytes, soon);
  }

  /** How long the thread has worked on the records that it has to apply next. */
  get #underWayMs(): number {
    const [first] = this.#unapplied;
    return first === undefined ? 0 : this.#clock.monotonic() - Math.max(first.sentAtMs, this.#appliedAtMs);
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
