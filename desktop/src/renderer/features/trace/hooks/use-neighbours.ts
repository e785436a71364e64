import { useEffect } from "react";
import { useLocation } from "wouter";
import { useStores, useTraces } from "../../../app-context.js";
import { tracePath } from "../trace-address.js";
import type { TraceViewStore } from "../trace-view-store.js";

/** The traces before and after the open one in the list; undefined where there is none. */
export interface Neighbours {
  readonly openNewer: (() => void) | undefined;
  readonly openOlder: (() => void) | undefined;
}

/** Steps through the list as it is filtered. The address is replaced: Back still leads to the list. */
export function useNeighbours(traceId: string, view: TraceViewStore): Neighbours {
  const { traces } = useStores();
  const [, navigate] = useLocation();
  const isListed = useTraces(({ phase, rows }) => phase === "ready" || rows.length > 0);
  const at = useTraces(({ rows }) => rows.findIndex(({ trace_id: id }) => id === traceId));
  const newerId = useTraces(({ rows }) => (at < 0 ? undefined : rows[at - 1]?.trace_id));
  const olderId = useTraces(({ rows }) => (at < 0 ? undefined : rows[at + 1]?.trace_id));
  const isLast = useTraces(({ rows }) => at >= 0 && at === rows.length - 1);

  useEffect(() => {
    if (!isListed) void traces.getState().load();
  }, [traces, isListed]);
  useEffect(() => {
    if (isLast) void traces.getState().loadMore();
  }, [traces, isLast]);

  const opener = (id: string | undefined): (() => void) | undefined => {
    if (id === undefined) return undefined;
    return () => {
      const { tab, view: shown } = view.getState();
      navigate(tracePath(id, { spanId: undefined, tab, view: shown }), {
        replace: true,
        state: window.history.state as unknown,
      });
    };
  };
  return { openNewer: opener(newerId), openOlder: opener(olderId) };
}
