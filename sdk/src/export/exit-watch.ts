import type { ExitOptions } from "./exit-options.js";
import type * as ProcessExit from "./process-exit.js";

const EXIT_EVENTS = ["beforeExit", "SIGTERM", "SIGINT", "SIGHUP"];

/**
 * Listens for the end of the process, and sends the buffered spans then.
 *
 * @returns a function that stops listening.
 */
export function watchProcessExit(options: ExitOptions): () => void {
  let code: typeof ProcessExit | undefined;
  const forEachEvent = (method: "prependListener" | "off") => {
    for (const event of EXIT_EVENTS) process[method](event as NodeJS.Signals, onEnding);
  };
  const stop = () => {
    forEachEvent("off");
    process.off("exit", onExit);
  };
  // Loaded now: when the process ends, a deployment may have replaced the file. If it cannot be loaded, the listeners are
  // removed, so that signals end the process as usual.
  const loading = import("./process-exit.js")
    .then((loaded) => (code = loaded).createExitHandler(options))
    .catch(stop);
  // `beforeExit` is emitted again after each time that its listeners did something. Nothing is pending then.
  const onEnding = (event: number | string) => {
    // Counted before the app's listeners run: they may remove themselves, as those of `once()` do.
    const listenerCount = process.listenerCount(event as string);
    if (typeof event === "string" || options.stats().pending > 0)
      void loading.then((handle) => handle?.(event, onEnding, listenerCount));
  };
  const onExit = () => {
    try {
      // A short process can end before the file is loaded, and nothing asynchronous runs any more.
      code ??= process.getBuiltinModule("node:module").createRequire(import.meta.filename)(
        "./process-exit.cjs",
      ) as typeof ProcessExit;
      code.sendAtExit(options);
    } catch {
      // A bundle does not have the file: spans of the first milliseconds are lost.
    }
  };
  forEachEvent("prependListener");
  process.on("exit", onExit);
  return stop;
}
