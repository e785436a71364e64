import type { ExitOptions } from "./exit-options.js";

const EXIT_EVENTS = ["beforeExit", "SIGTERM", "SIGINT"];

/**
 * Listens for the end of the process, and sends the buffered spans then.
 *
 * @returns a function that stops listening.
 */
export function watchProcessExit(options: ExitOptions): () => void {
  const forEachEvent = (method: "on" | "off") => {
    for (const event of EXIT_EVENTS) process[method](event, onExit);
  };
  const stop = () => forEachEvent("off");
  // Loaded now: when the process ends, a deployment may have replaced the file. If it cannot be loaded, the listeners are
  // removed, so that signals end the process as usual.
  const loading = import("./process-exit.js").then(({ prepareExit }) => prepareExit(options)).catch(stop);
  // `beforeExit` is emitted again after each time that its listeners did something. Nothing is pending then.
  const onExit = (event: number | string) => {
    if (typeof event === "string" || options.stats().pending > 0)
      void loading.then((handleExit) => handleExit?.(event, onExit));
  };
  forEachEvent("on");
  return stop;
}
