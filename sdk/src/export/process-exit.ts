import type { SpanExporter } from "./exporter.js";

type Signal = "SIGTERM" | "SIGINT";
const SIGNALS: readonly Signal[] = ["SIGTERM", "SIGINT"];

/**
 * Sends what waits before the process ends, within `shutdownTimeout`: when nothing is left to do (`beforeExit`), and on
 * SIGTERM and SIGINT. The app's own handlers stay in charge: where it has any, the process ends when they end it; where it
 * has none, the signal is raised again once the spans are sent, and ends the process as it would have without the SDK.
 *
 * @returns a function that stops all this.
 */
export function flushAtExit(exporter: SpanExporter): () => void {
  const onBeforeExit = () => {
    // It comes again after each time that something was done in it: then nothing is pending.
    if (exporter.stats().pending > 0) void exporter.settle();
  };
  let isSettling = false;
  const onSignal = (signal: Signal) => {
    if (isSettling) {
      // Somebody is in a hurry.
      raiseAgain(signal);
      return;
    }
    isSettling = true;
    void exporter.settle().finally(() => {
      isSettling = false;
      raiseAgain(signal);
    });
  };

  /** Ends the process by the signal, unless the app has handlers of its own. */
  function raiseAgain(signal: Signal): void {
    if (process.listenerCount(signal) - 1 > countOfSignalExit()) return;
    process.removeListener(signal, onSignal);
    process.kill(process.pid, signal);
  }

  process.on("beforeExit", onBeforeExit);
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return () => {
    process.removeListener("beforeExit", onBeforeExit);
    for (const signal of SIGNALS) process.removeListener(signal, onSignal);
  };
}

/**
 * How many listeners belong to the package `signal-exit`, which much of npm carries along. It ends the process by itself,
 * but only where it finds no listener besides its own: two such would wait for each other for ever.
 */
function countOfSignalExit(): number {
  const v4 = (globalThis as Record<symbol, unknown>)[Symbol.for("signal-exit emitter")];
  const v3 = (process as unknown as Record<string, unknown>)["__signal_exit_emitter__"];
  return [v3, v4].reduce<number>((sum, emitter) => {
    const count = (emitter as { count?: unknown } | undefined)?.count;
    return sum + (typeof count === "number" ? count : 0);
  }, 0);
}
