import { clearTimeout, setTimeout, type Timer } from "../platform/timers.js";

/**
 * Waits for a flush, for a limited time.
 *
 * @returns false if the time limit came first.
 */
export async function flushWithin(exporter: { flush(): Promise<void> }, timeoutMs: number): Promise<boolean> {
  // It also keeps the process alive, which nothing in the exporter does.
  let timer: Timer | undefined;
  const isDone = await Promise.race([
    exporter.flush().then(() => true),
    new Promise<boolean>((resolve) => (timer = setTimeout(resolve, timeoutMs, false))),
  ]);
  clearTimeout(timer);
  return isDone;
}
