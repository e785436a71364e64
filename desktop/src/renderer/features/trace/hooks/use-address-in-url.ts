import { useEffect } from "react";
import { useLocation } from "wouter";
import { tracePath } from "../trace-address.js";
import type { TraceViewStore } from "../trace-view-store.js";

/** Browsers refuse addresses that change many times a second, as they would with an arrow key held down. */
const WRITE_MS = 150;

/** Keeps the selection in the address, in place: Back leads to the list, not through every span that was looked at. */
export function useAddressInUrl(traceId: string, view: TraceViewStore): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let written = tracePath(traceId, view.getState());
    const stop = view.subscribe((state) => {
      const path = tracePath(traceId, state);
      if (path === written) return;
      written = path;
      clearTimeout(timer);
      timer = setTimeout(
        () => navigate(path, { replace: true, state: window.history.state as unknown }),
        WRITE_MS,
      );
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [traceId, view, navigate]);
}
