import { useSyncExternalStore } from "react";

/** Running numbers update five times a second, or once a second with reduced motion. */
const TICK_MS = 200;
const CALM_TICK_MS = 1000;

// State of the module, so that one timer serves the whole page: all figures of a run show the same time.
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let nowMs = Date.now();

function tick(): void {
  nowMs = Date.now();
  for (const each of listeners) each();
}

function subscribe(listener: () => void): () => void {
  if (timer === undefined) {
    nowMs = Date.now();
    const isCalm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    timer = setInterval(tick, isCalm ? CALM_TICK_MS : TICK_MS);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

const subscribeToNothing = (): (() => void) => () => undefined;

/** The time in epoch milliseconds, moving on while `isActive`. */
export function useNow(isActive: boolean): number {
  return useSyncExternalStore(isActive ? subscribe : subscribeToNothing, () => nowMs);
}
