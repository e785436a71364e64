import type { FromThread, ToThread } from "../../../src/store/sqlite/thread/protocol.js";
import type { StartThread, ThreadEvents } from "../../../src/store/sqlite/thread/thread-handle.js";
import { NO_USAGE } from "../../../src/store/sqlite/thread/known-usage.js";
import type { EngineUsage } from "../../../src/store/sqlite/thread/storage-engine.js";

/** A thread whose messages a test writes itself. */
export class ScriptedThread {
  readonly received: ToThread[] = [];
  isTerminated = false;
  readonly #events: ThreadEvents;

  constructor(events: ThreadEvents) {
    this.#events = events;
  }

  say(message: FromThread): void {
    this.#events.onMessage(message);
  }

  ready(usage: Partial<EngineUsage> = {}): void {
    this.say({ type: "ready", usage: { ...NO_USAGE.total, ...usage } });
  }

  die(cause?: string): void {
    this.#events.onExit(cause);
  }

  ofType<Type extends ToThread["type"]>(type: Type): Extract<ToThread, { type: Type }>[] {
    return this.received.filter((one): one is Extract<ToThread, { type: Type }> => one.type === type);
  }

  /** Says that the first appends that were not answered are applied. */
  apply(count = Number.POSITIVE_INFINITY, pendingSpans = 0): void {
    for (const message of this.ofType("append").slice(this.#applied)) {
      if (count-- <= 0) return;
      this.#applied++;
      const { bytes } = message;
      this.say({ type: "applied", bytes, hasFailed: false, pendingSpans });
    }
  }

  #applied = 0;
}

/** Starts scripted threads, and remembers them. */
export function scriptedThreads(): { readonly start: StartThread; readonly threads: ScriptedThread[] } {
  const threads: ScriptedThread[] = [];
  return {
    threads,
    start(events) {
      const thread = new ScriptedThread(events);
      threads.push(thread);
      return {
        // Cloned, as between threads: a transferred buffer is detached.
        postMessage: (message, transfer = []) =>
          void thread.received.push(structuredClone(message, { transfer: [...transfer] })),
        terminate: async () => void (thread.isTerminated = true),
      };
    },
  };
}
