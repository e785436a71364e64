import { ApiError, internalError } from "../../api-schema/errors.js";
import type { AppendOptions, UnsavedReason } from "../../interfaces.js";
import type { Logger } from "../../logging/logger.js";
import type { Clock } from "../../runtime/clock.js";
import { LONGEST_TIMER_MS } from "../../runtime/longest-timer.js";
import { describeError } from "../../runtime/describe-error.js";
import type { PipelineSpan } from "../../span/pipeline-span.js";
import { Outbox } from "./outbox.js";
import { storeUnavailable } from "../store-unavailable.js";
import { NO_USAGE, type KnownUsage } from "./thread/known-usage.js";
import type {
  CommandArguments,
  CommandName,
  CommandResult,
  FromThread,
  StartError,
  ThreadError,
} from "./thread/protocol.js";
import type { EngineUsage } from "./thread/storage-engine.js";
import type { StartThread, ThreadEvents, ThreadHandle } from "./thread/thread-handle.js";

/** A thread that dies is started again at most once in this time. */
const RESTART_INTERVAL_MS = 60_000;
/** Default of `ThreadClientOptions.stopTimeoutMs`. */
const STOP_TIMEOUT_MS = 5000;
/** Shortest time that a stop waits: a deadline in the past still saves what takes a moment. */
const MIN_STOP_MS = 400;

/** Options of {@link ThreadClient}. */
export interface ThreadClientOptions {
  readonly startThread: StartThread;
  readonly clock: Pick<Clock, "monotonic">;
  readonly logger: Logger;
  /** See `OutboxOptions`. */
  readonly maxUnappliedBytes?: number | undefined;
  /** Longest time that {@link ThreadClient.stop} waits for the thread if it gets no deadline. Default: 5 seconds. */
  readonly stopTimeoutMs?: number | undefined;
}

/** The file of traces could not be opened. */
export class StorageStartError extends Error {
  override readonly name = "StorageStartError";

  constructor(
    message: string,
    /** `in_use`, `newer` or `unreadable`; undefined for an unexpected error. */
    readonly reason: string | undefined,
  ) {
    super(message);
  }
}

interface Question {
  readonly command: CommandName;
  /** Undefined after an abort: nobody waits. */
  settle: { resolve(result: unknown): void; reject(error: Error): void } | undefined;
}

type State =
  | { readonly type: "idle" }
  | { readonly type: "running"; readonly thread: ThreadHandle }
  /** The thread has died. */
  | { readonly type: "dead"; readonly reason: string }
  | { readonly type: "stopped" };

/**
 * The main thread's side of the storage thread: sends spans, asks questions, and starts a thread that has died again. While
 * there is no thread, spans are counted as unsaved and questions fail with `trace_store_unavailable`.
 */
export class ThreadClient {
  readonly #options: ThreadClientOptions;
  readonly #outbox: Outbox;
  readonly #questions = new Map<number, Question>();
  #nextId = 1;
  #state: State = { type: "idle" };
  #generation = 0;
  #usage: KnownUsage = NO_USAGE;
  /** Spans that the thread has applied and not yet committed. */
  #uncommittedSpans = 0;
  #restartedAtMs = Number.NEGATIVE_INFINITY;
  #restartTimer: NodeJS.Timeout | undefined;
  /** Settled when the first thread has opened the file, or has not. */
  #opened: { resolve(): void; reject(error: Error): void } | undefined;
  #onEnd: ((isSaved: boolean) => void) | undefined;
  #stopping: Promise<void> | undefined;

  constructor(options: ThreadClientOptions) {
    this.#options = options;
    this.#outbox = new Outbox({
      send: ({ bytes, length }) => this.#thread?.postMessage({ type: "append", bytes, length }, [bytes]),
      maxUnappliedBytes: options.maxUnappliedBytes,
      clock: options.clock,
    });
  }

  /** Increases with each thread. Numbers that a thread has given out are not valid in the next. */
  get generation(): number {
    return this.#generation;
  }

  /** The last known usage. */
  get usage(): KnownUsage {
    return this.#usage;
  }

  /** Bytes on their way to the thread. */
  get sentBytes(): number {
    return this.#outbox.pendingBytes;
  }

  /** Why spans are not stored, or undefined. */
  get failure(): string | undefined {
    return this.#state.type === "dead" ? this.#state.reason : undefined;
  }

  /** Starts the thread and opens the file. @throws StorageStartError if it cannot be opened. */
  async start(): Promise<void> {
    if (this.#state.type !== "idle") return;
    await new Promise<void>((resolve, reject) => {
      this.#opened = { resolve, reject };
      this.#startThread(false);
    });
  }

  /**
   * Sends what is left, waits until it is saved, and ends the thread. May be called twice.
   *
   * @param deadlineMs - monotonic time at which what is not saved is given up. Default: after `stopTimeoutMs`.
   */
  stop(deadlineMs?: number): Promise<void> {
    return (this.#stopping ??= this.#stop(deadlineMs));
  }

  /** Takes spans; waits while the thread is behind. While there is no thread, the spans are counted as unsaved. */
  async append(spans: readonly PipelineSpan[], options: AppendOptions = {}): Promise<void> {
    if (this.#thread === undefined) this.#countUnsaved("thread_died", spans.length);
    else await this.#outbox.append(spans, options);
  }

  /**
   * Asks the thread. All spans that were appended before are sent first.
   *
   * @param generation - of the thread that the numbers in the arguments come from. Default: they come from none.
   * @throws the signal's reason if it is aborted; `ApiError` as the command throws it, or `trace_store_unavailable`.
   */
  async ask<Name extends CommandName>(
    command: Name,
    args: CommandArguments<Name>,
    { signal, generation = this.#generation }: { signal?: AbortSignal | undefined; generation?: number } = {},
  ): Promise<CommandResult<Name>> {
    signal?.throwIfAborted();
    const thread = this.#thread;
    if (thread === undefined || generation !== this.#generation) throw this.#unavailable();
    this.#outbox.flush();
    const id = this.#nextId++;
    return await new Promise<CommandResult<Name>>((resolve, reject) => {
      const abort = (): void => {
        question.settle = undefined;
        thread.postMessage({ type: "abort", id });
        reject(signal?.reason as Error);
      };
      const question: Question = {
        command,
        settle: {
          resolve: (result) => {
            signal?.removeEventListener("abort", abort);
            resolve(result as CommandResult<Name>);
          },
          reject: (error) => {
            signal?.removeEventListener("abort", abort);
            reject(error);
          },
        },
      };
      thread.postMessage({ type: "ask", id, command, args });
      this.#questions.set(id, question);
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  /** Resolves when all spans are saved. */
  async flush(): Promise<void> {
    await this.#whenSent();
    await this.ask("flush", []);
  }

  /** Sends all spans, also those that wait for room. */
  async #whenSent(): Promise<void> {
    await this.#outbox.append([]);
    this.#outbox.flush();
  }

  get #thread(): ThreadHandle | undefined {
    return this.#state.type === "running" ? this.#state.thread : undefined;
  }

  #startThread(isRestart: boolean): void {
    const generation = ++this.#generation;
    const events: ThreadEvents = {
      onMessage: (message) => {
        if (generation === this.#generation) this.#receive(message);
      },
      onExit: (cause, error) => {
        if (generation === this.#generation) this.#exited(cause, error);
      },
    };
    const thread = this.#options.startThread(events, isRestart);
    this.#state = { type: "running", thread };
  }

  #receive(message: FromThread): void {
    switch (message.type) {
      case "ready":
        this.#setUsage(message.usage);
        this.#opened?.resolve();
        this.#opened = undefined;
        break;
      case "refused":
        this.#refused(message.error);
        break;
      case "applied": {
        const spans = this.#outbox.applied(message.bytes);
        if (message.hasFailed) this.#countUnsaved("io_error", spans);
        this.#uncommittedSpans = message.pendingSpans;
        break;
      }
      case "answer":
        this.#answered(message.id, message.result);
        break;
      case "failure":
        this.#failed(message.id, message.error);
        break;
      case "usage":
        this.#setUsage(message.usage);
        break;
      case "log":
        this.#options.logger[message.level](message.message, message.context);
        break;
      case "stopped":
        this.#setUsage(message.usage);
        this.#onEnd?.(true);
    }
  }

  #answered(id: number, result: unknown): void {
    const question = this.#questions.get(id);
    if (question === undefined) return;
    this.#questions.delete(id);
    if (question.settle !== undefined) question.settle.resolve(result);
    else this.#close(question.command, result);
  }

  /** Closes what an aborted question has opened. */
  #close(command: CommandName, result: unknown): void {
    if (command === "openTrace" && result !== undefined)
      this.#askToClose("closeTrace", (result as { reading: number }).reading);
    if (command === "openSelect") this.#askToClose("closeSelect", result as number);
    if (command === "openBackup")
      this.#askToClose("closeBackup", (result as CommandResult<"openBackup">).backup);
  }

  #askToClose(command: "closeTrace" | "closeSelect" | "closeBackup", number: number): void {
    this.ask(command, [number]).catch(() => undefined);
  }

  #failed(id: number, error: ThreadError): void {
    const settle = this.#questions.get(id)?.settle;
    this.#questions.delete(id);
    if (settle === undefined) return;
    if (error.type === "api")
      settle.reject(new ApiError(error.code, error.message, error.details, error.headers));
    else {
      const description = error.type === "aborted" ? "The question was aborted." : error.description;
      this.#options.logger.error("The trace store failed to answer.", { error: description });
      settle.reject(internalError());
    }
  }

  #setUsage(usage: EngineUsage): void {
    this.#usage = this.#usage.withEngine(usage);
    this.#uncommittedSpans = usage.pendingSpans;
  }

  #countUnsaved(reason: UnsavedReason, spans: number): void {
    if (spans > 0) this.#usage = this.#usage.withUnsaved(reason, spans);
  }

  /** The file could not be opened. */
  #refused({ message, reason }: StartError): void {
    const opened = this.#opened;
    if (opened === undefined) {
      this.#exited(message);
      return;
    }
    this.#opened = undefined;
    this.#state = { type: "stopped" };
    opened.reject(new StorageStartError(message, reason));
  }

  #exited(cause: string | undefined, error?: unknown): void {
    if (this.#onEnd !== undefined) {
      this.#onEnd(false);
      return;
    }
    if (this.#state.type !== "running") return;
    const reason = `The storage thread ended: ${cause ?? "for no known reason"}`;
    if (this.#opened !== undefined) {
      this.#refused({ message: reason, reason: undefined });
      return;
    }
    if (error !== undefined)
      this.#options.logger.error("The storage thread failed.", { error: describeError(error) });
    this.#died(reason);
  }

  #died(reason: string): void {
    const { clock, logger } = this.#options;
    const waitMs = this.#restartedAtMs + RESTART_INTERVAL_MS - clock.monotonic();
    this.#usage = this.#usage.afterDeath();
    // Messages of the dead thread are ignored from here on.
    this.#generation++;
    this.#state = { type: "dead", reason };
    this.#failQuestions();
    const uncommitted = this.#uncommittedSpans;
    this.#uncommittedSpans = 0;
    if (waitMs > 0) {
      const lost = this.#outbox.discard() + uncommitted;
      this.#countUnsaved("thread_died", lost);
      logger.error("The trace store has failed. It starts again later; until then no spans are stored.", {
        reason,
        lost_spans: lost,
        seconds: Math.ceil(waitMs / 1000),
      });
      this.#restartTimer = setTimeout(() => this.#restart(), waitMs);
      this.#restartTimer.unref();
      return;
    }
    // What was not sent goes to the next thread.
    this.#restart();
    const lost = this.#outbox.forgetUnapplied() + uncommitted;
    this.#countUnsaved("thread_died", lost);
    logger.error("The trace store has failed and starts again.", { reason, lost_spans: lost });
  }

  #restart(): void {
    this.#restartedAtMs = this.#options.clock.monotonic();
    this.#startThread(true);
  }

  #failQuestions(): void {
    const questions = [...this.#questions.values()];
    this.#questions.clear();
    for (const { settle } of questions) settle?.reject(this.#unavailable());
  }

  #unavailable(): ApiError {
    return storeUnavailable(
      "The trace store does not answer; the log of the collector says why. Try again later.",
    );
  }

  async #stop(deadlineMs: number | undefined): Promise<void> {
    clearTimeout(this.#restartTimer);
    const thread = this.#thread;
    if (thread === undefined) {
      this.#state = { type: "stopped" };
      return;
    }
    const { stopTimeoutMs = STOP_TIMEOUT_MS, clock, logger } = this.#options;
    const waitMs =
      deadlineMs === undefined ? stopTimeoutMs : Math.max(MIN_STOP_MS, deadlineMs - clock.monotonic());
    let timer: NodeJS.Timeout | undefined;
    const isSaved = await new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), Math.min(waitMs, LONGEST_TIMER_MS));
      this.#onEnd = resolve;
      void this.#whenSent().then(() => thread.postMessage({ type: "stop" }));
    });
    clearTimeout(timer);
    this.#state = { type: "stopped" };
    this.#opened?.reject(new StorageStartError("The collector is stopping.", undefined));
    const lost = this.#outbox.discard() + (isSaved ? 0 : this.#uncommittedSpans);
    this.#countUnsaved("thread_died", lost);
    if (lost > 0) logger.error("The trace store did not save all spans in time.", { lost_spans: lost });
    this.#failQuestions();
    // A thread that hangs in the disk ends only when the disk answers.
    const ended = thread.terminate();
    if (isSaved) await ended;
  }
}
