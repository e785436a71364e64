import { useSyncExternalStore } from "react";

/** As often as the list changes. */
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

const standStill = (): (() => void) => () => undefined;

/** The time in epoch milliseconds, five times a second; one timer for all who ask. It stands while not `isRunning`. */
export function useNow(isRunning: boolean): number {
  return useSyncExternalStore(isRunning ? subscribe : standStill, () => nowMs);
}
