import { useEffect } from "react";
import { useLocation } from "wouter";
import type { TraceKey } from "../../../api/collector-api.js";
import { tenantOf, tracePath } from "../trace-address.js";
import type { TraceViewStore } from "../trace-view-store.js";

/** Browsers refuse addresses that change many times a second, as they would with an arrow key held down. */
const WRITE_MS = 150;

/**
 * Keeps the selection in the address, in place: Back leads to the list, not through every span that was looked at. Where
 * the link did not say whose trace it meant, the address does from now on: a newer one of that id is another's.
 */
export function useAddressInUrl(traceKey: TraceKey, view: TraceViewStore): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let written = tracePath(traceKey, view.getState());
    const write = (): void => navigate(written, { replace: true, state: window.history.state as unknown });
    if (traceKey.tenant !== "" && tenantOf(window.location.search) === undefined) write();
    const stop = view.subscribe((state) => {
      const path = tracePath(traceKey, state);
      if (path === written) return;
      written = path;
      clearTimeout(timer);
      timer = setTimeout(write, WRITE_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [traceKey, view, navigate]);
}
