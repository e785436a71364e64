import { useEffect } from "react";
import { useLocation } from "wouter";
import type { TraceKey } from "../../../api/collector-api.js";
import { tenantOf, tracePath } from "../trace-address.js";
import type { TraceViewStore } from "../trace-view-store.js";

/** Browsers limit how often a page changes its URL, for example while an arrow key is held. */
const WRITE_MS = 150;

/**
 * Keeps the selection in the URL by replacing the entry, so that Back leads to the list. If the link named no tenant,
 * the URL gets it: a newer trace with the same id may belong to another tenant.
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
