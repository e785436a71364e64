import { ApiError } from "../../../api-schema/errors.js";
import type { LogContext } from "../../../logging/logger.js";
import { systemClock, type Clock } from "../../../runtime/clock.js";
import { describeError, errorMessage } from "../../../runtime/describe-error.js";
import { onNextTurn } from "../../../runtime/loop-turn.js";
import type { CommandName, FromThread, ThreadError, ThreadPort, ToThread } from "./protocol.js";
import type { EngineHost, EngineUsage, StorageEngine } from "./storage-engine.js";

/** Interval of ticks while the engine is busy. */
const BUSY_TICK_MS = 20;
/** Interval of ticks otherwise. */
const IDLE_TICK_MS = 1000;
/** Time that messages may take in a turn of the event loop, which the commands under way share. */
const MESSAGES_SLICE_MS = 5;

type Port = ThreadPort<FromThread, ToThread>;
/** An abort waits for nothing. */
type QueuedMessage = Exclude<ToThread, { readonly type: "abort" }>;

/** Options of {@link serveEngine}. */
export interface ServeEngineOptions {
  readonly port: Port;
  readonly createEngine: (host: EngineHost) => StorageEngine | Promise<StorageEngine>;
  /** Divides the time between messages and commands. Default: the system's. */
  readonly clock?: Pick<Clock, "monotonic"> | undefined;
}

/**
 * Opens the engine and answers the messages of the main thread until it is told to stop. Appends are applied in order; a
 * command begins after the appends before it, and goes on while others are applied. Both have a part of the time, however many appends
 * wait: commands have as much as the appends before took, which may be many times a slice of theirs.
 */
export async function serveEngine({
  port,
  createEngine,
  clock = systemClock,
}: ServeEngineOptions): Promise<void> {
  const host: EngineHost = {
    log: (level, message, context) =>
      port.postMessage({ type: "log", level, message, context: cloneable(context) }),
  };
  let engine: StorageEngine;
  try {
    engine = await createEngine(host);
  } catch (error) {
    const reason = error instanceof Error && "reason" in error ? String(error.reason) : undefined;
    const message = errorMessage(error);
    port.postMessage({ type: "refused", error: { message, reason } });
    port.close();
    return;
  }
  const server = new CommandServer({ port, host, engine, clock });
  port.on("message", (message) => server.receive(message));
  port.postMessage({ type: "ready", usage: engine.usage() });
  server.scheduleTick();
}

/** The commands with the arguments as they came, which the main thread has typed. */
type Commands = Readonly<Record<CommandName, (...args: unknown[]) => Promise<unknown>>>;

interface CommandServerOptions {
  readonly port: Port;
  readonly host: EngineHost;
  readonly engine: StorageEngine;
  readonly clock: Pick<Clock, "monotonic">;
}

class CommandServer {
  readonly #port: Port;
  readonly #host: EngineHost;
  readonly #engine: StorageEngine;
  readonly #clock: Pick<Clock, "monotonic">;
  /** Messages that wait. Node.js delivers all that have arrived in one turn of the event loop. */
  readonly #inbox: QueuedMessage[] = [];
  /** Nothing is appended before while commands are under way. */
  #appendsFromMs = 0;
  /** Commands under way. */
  readonly #running = new Map<number, AbortController>();
  #tick: NodeJS.Timeout | undefined;
  #tickMs = 0;
  #lastUsage = "";
  #isStopping = false;

  constructor({ port, host, engine, clock }: CommandServerOptions) {
    this.#port = port;
    this.#host = host;
    this.#engine = engine;
    this.#clock = clock;
  }

  receive(message: ToThread): void {
    if (message.type === "abort") {
      this.#abort(message.id);
      return;
    }
    this.#inbox.push(message);
    if (this.#inbox.length === 1) onNextTurn(() => this.#handleMessages());
  }

  #handleMessages(): void {
    const startedAtMs = this.#clock.monotonic();
    do {
      const [first] = this.#inbox;
      if (first === undefined) return;
      if (first.type === "append" && this.#running.size > 0 && this.#clock.monotonic() < this.#appendsFromMs)
        break;
      this.#inbox.shift();
      this.#handle(first);
      const nowMs = this.#clock.monotonic();
      if (first.type === "append") this.#appendsFromMs = nowMs + (nowMs - startedAtMs);
    } while (this.#clock.monotonic() < startedAtMs + MESSAGES_SLICE_MS);
    if (this.#inbox.length > 0) onNextTurn(() => this.#handleMessages());
  }

  #handle(message: QueuedMessage): void {
    switch (message.type) {
      case "append":
        this.#append(message.bytes, message.length);
        break;
      case "ask":
        void this.#run(message.id, message.command, message.args);
        break;
      case "stop":
        void this.#stop();
    }
  }

  #abort(id: number): void {
    this.#running.get(id)?.abort();
    const index = this.#inbox.findIndex((message) => message.type === "ask" && message.id === id);
    if (index < 0) return;
    this.#inbox.splice(index, 1);
    this.#fail(id, { type: "aborted" });
  }

  /** Ticks often while work waits. */
  scheduleTick(): void {
    if (this.#isStopping) return;
    const tickMs = this.#engine.isBusy ? BUSY_TICK_MS : IDLE_TICK_MS;
    if (this.#tick !== undefined && tickMs >= this.#tickMs) return;
    clearTimeout(this.#tick);
    this.#tickMs = tickMs;
    this.#tick = setTimeout(() => this.#onTick(), tickMs);
  }

  #onTick(): void {
    this.#tick = undefined;
    try {
      this.#engine.tick();
    } catch (error) {
      this.#host.log("error", "The trace store failed to commit.", { error: describeError(error) });
    }
    this.#postUsage();
    this.scheduleTick();
  }

  #append(bytes: ArrayBuffer, length: number): void {
    let hasFailed = false;
    try {
      this.#engine.append(Buffer.from(bytes, 0, length));
    } catch (error) {
      hasFailed = true;
      this.#host.log("error", "The trace store failed to add spans.", { error: describeError(error) });
    }
    // First, so that what is no longer on its way is pending in the engine.
    this.#postUsage();
    const { pendingSpans } = this.#engine.usage();
    this.#port.postMessage({ type: "applied", bytes, hasFailed, pendingSpans }, [bytes]);
    this.scheduleTick();
  }

  async #run(id: number, command: CommandName, args: readonly unknown[]): Promise<void> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      const commands = this.#engine.commands as unknown as Commands;
      const result = await commands[command](...args, controller.signal);
      // Before the answer, so that whoever has the answer also has the usage.
      this.#postUsage();
      const transfer = transferOf(result);
      if (controller.signal.aborted && transfer.length > 0) this.#fail(id, { type: "aborted" });
      else this.#port.postMessage({ type: "answer", id, result }, transfer);
    } catch (error) {
      this.#fail(id, controller.signal.aborted ? { type: "aborted" } : describe(error));
    } finally {
      this.#running.delete(id);
      this.scheduleTick();
    }
  }

  #fail(id: number, error: ThreadError): void {
    this.#port.postMessage({ type: "failure", id, error });
  }

  #postUsage(): void {
    const usage: EngineUsage = this.#engine.usage();
    const text = JSON.stringify(usage);
    if (text === this.#lastUsage) return;
    this.#lastUsage = text;
    this.#port.postMessage({ type: "usage", usage });
  }

  async #stop(): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    clearTimeout(this.#tick);
    for (const controller of this.#running.values()) controller.abort();
    try {
      await this.#engine.close();
    } catch (error) {
      this.#host.log("error", "The trace store failed to close its file.", { error: describeError(error) });
    }
    this.#port.postMessage({ type: "stopped", usage: this.#engine.usage() });
    this.#port.close();
  }
}

function describe(error: unknown): ThreadError {
  // eslint-disable-next-line obspan/described-error-in-log -- the main thread logs it
  if (!(error instanceof ApiError)) return { type: "unexpected", description: describeError(error) };
  const { code, message, details, headers } = error;
  return { type: "api", code, message, details, headers };
}

/** The memory of a page is transferred, not copied. */
function transferOf(result: unknown): ArrayBuffer[] {
  if (typeof result !== "object" || result === null || !("bytes" in result)) return [];
  return result.bytes instanceof ArrayBuffer ? [result.bytes] : [];
}

/** The context of a log line as values that can be posted. */
function cloneable(context: LogContext | undefined): LogContext | undefined {
  if (context === undefined) return undefined;
  return Object.fromEntries(
    // eslint-disable-next-line obspan/described-error-in-log -- the context of a log line
    Object.entries(context).map(([key, value]) => [key, isScalar(value) ? value : describeError(value)]),
  );
}

function isScalar(value: unknown): boolean {
  return (
    value === null || (typeof value !== "object" && typeof value !== "function" && typeof value !== "symbol")
  );
}
