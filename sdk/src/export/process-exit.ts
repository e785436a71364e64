import type { ExitOptions } from "./exit-options.js";
import { sendAtExit } from "./send-at-exit.js";

export { sendAtExit };

/**
 * Handles an event that announces the end of the process.
 *
 * @param event - the name of a signal, or the exit code that `beforeExit` passes.
 * @param listener - the SDK's own listener of the event.
 */
export type ExitHandler = (
  event: number | string,
  listener: (event: number | string) => void,
) => Promise<void>;

/**
 * Creates the handler that sends the buffered spans within `shutdownTimeout`, on `beforeExit`, SIGTERM, SIGINT and SIGHUP.
 * The app's own signal handlers stay in charge: if it has any, they decide when the process ends. If it has none, the signal
 * is raised again after the spans are sent, and ends the process as it would without the SDK.
 */
export function createExitHandler(options: ExitOptions): ExitHandler {
  const { settle, stats } = options;
  let isSettling = false;
  if ("Deno" in globalThis) watchDeno(() => sendAtExit(options));

  const settledSpans = () => {
    const { enqueued, pending } = stats();
    return enqueued - pending;
  };

  return async (event, listener) => {
    const before = settledSpans();
    // A second signal while spans are sent: the user does not want to wait.
    const isSecond = isSettling;
    if (!isSecond) {
      isSettling = true;
      await settle();
      isSettling = false;
    }
    // If nothing could be sent, `beforeExit` must not try again: it would repeat forever.
    if (typeof event === "number" && settledSpans() === before)
      process.removeListener("beforeExit", listener);
    if (typeof event === "number" || process.listenerCount(event) - 1 > signalExitListeners()) return;
    // A process that a signal ends emits no `exit`.
    if (!isSecond) sendAtExit(options);
    process.removeListener(event, listener);
    process.kill(process.pid, event);
  };
}

/**
 * `Deno.exit()` emits no `exit`, and neither does an error that nothing catches. The app may handle such an error and go on, so that only
 * the first one blocks it.
 */
function watchDeno(send: () => void): void {
  const target = globalThis as unknown as EventTarget;
  target.addEventListener("unload", send);
  for (const event of ["error", "unhandledrejection"]) target.addEventListener(event, send, { once: true });
}

/**
 * How many signal listeners belong to the package `signal-exit`, a dependency of many packages. It ends the process by
 * itself, but only if its own listeners are the only ones: without this count, it and the SDK would wait for each other.
 */
function signalExitListeners(): number {
  const v4 = (globalThis as Record<symbol, unknown>)[Symbol.for("signal-exit emitter")];
  const v3 = (process as unknown as Record<string, unknown>)["__signal_exit_emitter__"];
  return [v3, v4].reduce<number>((sum, emitter) => {
    const count = (emitter as { count?: unknown } | undefined)?.count;
    return sum + (typeof count === "number" ? count : 0);
  }, 0);
}
