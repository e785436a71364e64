import type { AppendOptions, SharedDeletions, TraceKey } from "../../interfaces.js";
import type { Logger } from "../../logging/logger.js";
import { errorMessage } from "../../runtime/describe-error.js";
import type { Clock } from "../../runtime/clock.js";
import type { PipelineSpan } from "../../span/pipeline-span.js";
import { traceKeyText } from "../../span/trace-key-text.js";
import { storeUnavailable } from "../store-unavailable.js";
import type { Database } from "./database.js";
import { DeletedMeanwhile } from "./deleted-meanwhile.js";
import { insertReadable, type InsertedRows } from "./insert-readable.js";
import { isSameFailure } from "./same-failure.js";
import { Arrivals, bytesOfRow, spanRowOf, type SpanRow } from "./span-row.js";
import { keyOf } from "./trace-keys.js";
import type { TraceSums, WrittenSums } from "./trace-sums.js";

/** Options of {@link SpanWriter}. */
export interface SpanWriterOptions {
  readonly database: Database;
  readonly sums: Pick<TraceSums, "write">;
  readonly clock: Clock;
  readonly log: Pick<Logger, "info" | "warning" | "error">;
  /** Deletions of all collectors. Default: no other collector deletes. */
  readonly deletions?: Pick<SharedDeletions, "look" | "lastOf"> | undefined;
  /** Called with the traces whose spans were written: queries see them from now on. */
  readonly onWritten: (keys: readonly TraceKey[]) => void;
}

/** How often spans are written, unless there are many. */
const WRITE_EVERY_MS = 1000;
/** Written at once: ClickHouse merges few large parts faster than many small ones. */
const MANY_SPANS = 10_000;
const MANY_BYTES = 16 * 2 ** 20;
/** `append` waits while more is not written. */
const ROOM = { spans: 2 * MANY_SPANS, bytes: 4 * MANY_BYTES } as const;
/** How long to wait after a failure, longer after each. */
const RETRY_MS = { first: 100, longest: 5000 } as const;
/** Sums that failed are asked for again after as long as ClickHouse has worked on them in vain, at most after this. */
const MAX_SUMS_WAIT_MS = 60_000;

interface Waiter {
  /** The position among all rows that must be written. */
  readonly upTo: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Spans that are written together. */
interface Batch {
  readonly rows: readonly SpanRow[];
  /** JSON of what an import tells, by `traceKeyText`. */
  readonly remains: ReadonlyMap<string, string>;
}

/**
 * Writes spans and sums up their traces, many at a time. What was appended is written again until ClickHouse has it, or until the writer
 * stops: then a batch of the queue is not acknowledged, and another collector processes it.
 */
export class SpanWriter {
  readonly #database: Database;
  readonly #sums: Pick<TraceSums, "write">;
  readonly #clock: Clock;
  readonly #log: SpanWriterOptions["log"];
  readonly #deleted: DeletedMeanwhile;
  readonly #onWritten: SpanWriterOptions["onWritten"];
  readonly #arrivals = new Arrivals();
  #rows: SpanRow[] = [];
  #remains = new Map<string, string>();
  /** Estimated memory of all rows that are not written. */
  #bytes = 0;
  /** Rows appended and rows written, since the start. */
  #appended = 0;
  #written = 0;
  /** The position up to which rows are written without waiting for more. */
  #due = 0;
  #waiters: Waiter[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isWriting = false;
  #refused = 0;
  /** Why the last write failed; null if it did not. */
  #failure: string | null = null;
  #stopped = new AbortController();

  constructor({ database, sums, clock, log, deletions, onWritten }: SpanWriterOptions) {
    this.#database = database;
    this.#sums = sums;
    this.#clock = clock;
    this.#log = log;
    this.#deleted = new DeletedMeanwhile({ database, sums, deletions });
    this.#onWritten = onWritten;
  }

  get pendingBytes(): number {
    return this.#bytes;
  }

  /** Spans that ClickHouse cannot read, and spans that it has of traces that it cannot read. */
  get refused(): number {
    return this.#refused;
  }

  get failure(): string | null {
    return this.#failure;
  }

  /** Takes spans. Waits while too many are not written. */
  async append(
    spans: readonly PipelineSpan[],
    { isImport = false, restored = [] }: AppendOptions,
  ): Promise<void> {
    this.#requireRunning();
    for (const { tenant, traceId, remains } of restored)
      this.#remains.set(traceKeyText({ tenant, traceId }), JSON.stringify(remains));
    for (const span of spans) {
      const row = spanRowOf(span, this.#arrivals);
      if (isImport) this.#deleted.exempt(row);
      this.#rows.push(row);
      this.#bytes += bytesOfRow(row);
      this.#appended++;
    }
    if (this.#rows.length >= MANY_SPANS || this.#bytes >= MANY_BYTES) this.#writeAll();
    else this.#timer ??= setTimeout(() => this.#writeAll(), WRITE_EVERY_MS);
    while (!this.#hasRoom()) await this.#until(this.#written + 1);
  }

  /**
   * Writes what was appended, without waiting for more.
   *
   * @throws `ApiError` `trace_store_unavailable` if the writer stops before it is written.
   */
  async flush(): Promise<void> {
    if (this.#written === this.#appended) return;
    const written = this.#until(this.#appended);
    this.#writeAll();
    await written;
  }

  /**
   * Resolves when what was appended is written, together with what is appended until it is time for that.
   *
   * @throws like {@link flush}.
   */
  async written(): Promise<void> {
    if (this.#written < this.#appended) await this.#until(this.#appended);
  }

  /** Writes what was appended, and gives up at the deadline (monotonic clock). Resolves with the spans that were not written. */
  async stop(deadlineMs: number): Promise<number> {
    const giveUp = setTimeout(() => this.#stopped.abort(), Math.max(0, deadlineMs - this.#clock.monotonic()));
    try {
      await this.flush().catch(() => undefined);
    } finally {
      clearTimeout(giveUp);
      clearTimeout(this.#timer);
      this.#stopped.abort();
    }
    return this.#appended - this.#written;
  }

  #hasRoom(): boolean {
    return this.#appended - this.#written <= ROOM.spans && this.#bytes <= ROOM.bytes;
  }

  #requireRunning(): void {
    if (this.#stopped.signal.aborted) throw notWritten();
  }

  #until(upTo: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#requireRunning();
      this.#waiters.push({ upTo, resolve, reject });
    });
  }

  #writeAll(): void {
    this.#due = this.#appended;
    void this.#write();
  }

  /** What is appended during a write waits for its own time: ClickHouse would get small parts without end. */
  async #write(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    try {
      while (this.#written < this.#due) {
        clearTimeout(this.#timer);
        this.#timer = undefined;
        const taken = this.#rows;
        const remains = this.#remains;
        this.#rows = [];
        this.#remains = new Map();
        await this.#save({ rows: taken, remains });
        this.#written += taken.length;
        this.#bytes -= taken.reduce((sum, row) => sum + bytesOfRow(row), 0);
        this.#settle();
      }
    } catch {
      // Stopped.
      for (const { reject } of this.#waiters.splice(0)) reject(notWritten());
    } finally {
      this.#isWriting = false;
    }
  }

  #settle(): void {
    const ready = this.#waiters.filter(({ upTo }) => upTo <= this.#written);
    this.#waiters = this.#waiters.filter(({ upTo }) => upTo > this.#written);
    for (const { resolve } of ready) resolve();
  }

  /** Writes a batch. Each part may run twice: the rows replace themselves. @throws if the writer stops before it is written. */
  async #save({ rows, remains }: Batch): Promise<void> {
    const { signal } = this.#stopped;
    const latest = this.#deleted.kept(latestOf(rows));
    const watched = this.#deleted.watch(latest);
    let spans: InsertedRows<SpanRow> | undefined;
    let sumsMs = 0;
    const save = async (): Promise<readonly TraceKey[]> => {
      spans ??= await insertReadable(this.#database, "spans", latest, signal);
      const startedAtMs = this.#clock.monotonic();
      try {
        const sums = await this.#sums.write(spans.inserted, remains, signal);
        this.#countRefused(spans, sums);
        return sums.keys;
      } finally {
        sumsMs += this.#clock.monotonic() - startedAtMs;
      }
    };
    const keys = await this.#untilDone(save, () => Math.min(sumsMs, MAX_SUMS_WAIT_MS));
    for (;;) {
      const deleted = await this.#deleted.look(watched);
      if (deleted.length === 0) break;
      await this.#untilDone(() => this.#deleted.remove(deleted, remains, signal));
    }
    this.#onWritten(keys);
  }

  /**
   * Repeats work until ClickHouse has done it.
   *
   * @param leastWaitMs - before the next try.
   * @throws if the writer stops before.
   */
  async #untilDone<Result>(work: () => Promise<Result>, leastWaitMs = (): number => 0): Promise<Result> {
    const { signal } = this.#stopped;
    for (let waitMs: number = RETRY_MS.first; ; waitMs = Math.min(waitMs * 2, RETRY_MS.longest)) {
      try {
        const result = await work();
        this.#succeeded();
        return result;
      } catch (error) {
        signal.throwIfAborted();
        this.#failed(errorMessage(error));
      }
      await wait(Math.max(waitMs, leastWaitMs()), signal);
    }
  }

  #countRefused({ refusals }: InsertedRows<SpanRow>, { refused }: WrittenSums): void {
    this.#refused += refusals.length + refused.spans;
    // The message of a refusal may quote the row.
    const [first] = refusals;
    if (first !== undefined)
      this.#log.error(
        `${refusals.length} spans are not kept, because ClickHouse cannot read them (code ${first.code}).`,
      );
    if (refused.traces > 0)
      this.#log.error(
        `${refused.traces} traces are not shown as they are now, because ClickHouse cannot read their rows (code ${refused.code}).`,
      );
  }

  #failed(reason: string): void {
    if (this.#failure === null || !isSameFailure(this.#failure, reason))
      this.#log.warning(
        `ClickHouse takes no spans (${reason}). They are sent again; what was accepted waits in the queue until then.`,
      );
    this.#failure = reason;
  }

  #succeeded(): void {
    if (this.#failure !== null) this.#log.info("ClickHouse takes spans again.");
    this.#failure = null;
  }
}

function notWritten(): Error {
  return storeUnavailable("The collector stops before ClickHouse has taken the spans.");
}

/** The rows that count: of each span, the one with the highest version, and the last among equal ones. */
function latestOf(rows: readonly SpanRow[]): readonly SpanRow[] {
  const latest = new Map<string, SpanRow>();
  for (const row of rows) {
    const key = `${row.span_id}\n${traceKeyText(keyOf(row))}`;
    const other = latest.get(key);
    if (other === undefined || BigInt(other.version) <= BigInt(row.version)) latest.set(key, row);
  }
  return [...latest.values()];
}

/** @throws if the signal is aborted. */
async function wait(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const leave = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      // The signal is that of the whole process: a ClickHouse that is away would leave a listener for each try.
      signal.removeEventListener("abort", leave);
      resolve();
    }, ms);
    signal.addEventListener("abort", leave);
  });
}
