import type { SpanExporter } from "./exporter.js";

/** Exporters that are sending their last spans. */
const settling = new WeakSet<SpanExporter>();

/**
 * Sends what waits before the process ends, within `shutdownTimeout`: when nothing is left to do (`beforeExit`), and on
 * SIGTERM and SIGINT. The app's own handlers stay in charge: where it has any, the process ends when they end it; where it
 * has none, the signal is raised again once the spans are sent, and ends the process as it would have without the SDK.
 *
 * @param event - the name of a signal, or the exit code that `beforeExit` brings.
 * @param listener - the SDK's own listener.
 */
export async function endOrderly(
  exporter: SpanExporter,
  event: number | string,
  listener: (event: number | string) => void,
): Promise<void> {
  // A second signal: somebody is in a hurry.
  if (!settling.has(exporter)) {
    settling.add(exporter);
    await exporter.settle();
    settling.delete(exporter);
  }
  // What still waits cannot be sent, and asking for it again would never end.
  if (typeof event === "number" && exporter.stats().pending > 0)
    process.removeListener("beforeExit", listener);
  if (typeof event === "number" || process.listenerCount(event) - 1 > countOfSignalExit()) return;
  process.removeListener(event, listener);
  process.kill(process.pid, event);
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
