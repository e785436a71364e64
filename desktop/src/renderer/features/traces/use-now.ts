import { useSyncExternalStore } from "react";

/** Same rate as the updates of the list. */
const TICK_MS = 200;

// State of the module, so that one timer serves every row of the page.
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let nowMs = Date.now();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    nowMs = Date.now();
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

const subscribeToNothing = (): (() => void) => () => undefined;

/** The time in epoch milliseconds, updated five times a second by one shared timer while `isRunning`. */
export function useNow(isRunning: boolean): number {
  return useSyncExternalStore(isRunning ? subscribe : subscribeToNothing, () => nowMs);
}
