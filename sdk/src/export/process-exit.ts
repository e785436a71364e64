import type { ExitOptions } from "./exit-options.js";
import { sendAtExit } from "./send-at-exit.js";

export { sendAtExit };

/**
 * Handles an event that announces the end of the process.
 *
 * @param event - the name of a signal, or the exit code that `beforeExit` passes.
 * @param listener - the SDK's own listener of the event.
 * @param listenerCount - the listeners of the event when it was emitted, with the SDK's.
 */
export type ExitHandler = (
  event: number | string,
  listener: (event: number | string) => void,
  listenerCount: number,
) => Promise<void>;

/**
 * Creates the handler that sends the buffered spans within `shutdownTimeout`, on `beforeExit`, SIGTERM, SIGINT and SIGHUP.
 * The app's own signal handlers stay in charge: if it has any, they decide when the process ends. If it has none, the signal
 * is raised again after the spans are sent, and ends the process as it would without the SDK.
 */
export function createExitHandler(options: ExitOptions): ExitHandler {
  const { settle, stats } = options;
  if ("Deno" in globalThis) watchDeno(() => sendAtExit(options));
  let settling: Promise<void> | undefined;
  /** True after a signal that only the SDK listened to: the process ends when the spans are sent. */
  let isEnding = false;

  const settledSpans = () => {
    const { enqueued, pending } = stats();
    return enqueued - pending;
  };

  return async (event, listener, listenerCount) => {
    const before = settledSpans();
    const isAppInCharge = typeof event === "number" || listenerCount - 1 > signalExitListeners();
    // A second signal while spans are sent: the user does not want to wait. A framework that raises a signal again after its own
    // listener has cleaned up, such as NestJS, waits.
    const isSecond = isEnding;
    if (!isSecond) {
      isEnding = !isAppInCharge;
      await (settling ??= settle());
      settling = undefined;
    }
    // If nothing could be sent, `beforeExit` must not try again: it would repeat forever.
    if (typeof event === "number" && settledSpans() === before)
      process.removeListener("beforeExit", listener);
    if (isAppInCharge) return;
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
