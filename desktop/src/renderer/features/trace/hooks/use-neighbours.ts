import type { TraceSummary } from "@obspan/collector-core/api-schema";
import { useEffect, useRef } from "react";
import { useLocation } from "wouter";
import type { TraceKey } from "../../../api/collector-api.js";
import { useStores, useTraces } from "../../../app-context.js";
import { rowKeyOf, traceKeyOf } from "../../../store/trace-key.js";
import { tracePath } from "../trace-address.js";
import type { TraceViewStore } from "../trace-view-store.js";

/** The neighbours of the open trace in the list; undefined if there is none. */
export interface Neighbours {
  readonly openNewer: (() => void) | undefined;
  readonly openOlder: (() => void) | undefined;
}

/** Steps through the filtered list. */
export interface Steps extends Neighbours {
  /** Opens a neighbour, or waits for it while the list is loading. */
  readonly step: (to: keyof Neighbours) => void;
}

/** Replaces the URL, so that Back still leads to the list. */
export function useNeighbours({ traceId, tenant = "" }: TraceKey, view: TraceViewStore): Steps {
  const { traces } = useStores();
  const [, navigate] = useLocation();
  const isListed = useTraces(({ phase, rows }) => phase === "ready" || rows.length > 0);
  const at = useTraces(({ rows }) =>
    rows.findIndex((row) => row.trace_id === traceId && row.tenant === tenant),
  );
  const newerKey = useTraces(({ rows }) => keyAt(rows, at - 1));
  const olderKey = useTraces(({ rows }) => (at < 0 ? undefined : keyAt(rows, at + 1)));
  const asked = useRef<keyof Neighbours>(undefined);
  const isLast = useTraces(({ rows }) => at >= 0 && at === rows.length - 1);

  useEffect(() => {
    if (!isListed) void traces.getState().load();
  }, [traces, isListed]);
  useEffect(() => {
    if (isLast) void traces.getState().loadMore();
  }, [traces, isLast]);

  const opener = (key: string | undefined): (() => void) | undefined => {
    if (key === undefined) return undefined;
    return () => {
      const { tab, view: shown } = view.getState();
      navigate(tracePath(traceKeyOf(key), { spanId: undefined, tab, view: shown }), {
        replace: true,
        state: window.history.state as unknown,
      });
    };
  };
  const neighbours = { openNewer: opener(newerKey), openOlder: opener(olderKey) };

  useEffect(() => {
    if (!isListed || asked.current === undefined) return;
    const open = neighbours[asked.current];
    asked.current = undefined;
    open?.();
  });

  return {
    ...neighbours,
    step(to) {
      if (isListed) neighbours[to]?.();
      else asked.current = to;
    },
  };
}

function keyAt(rows: readonly TraceSummary[], index: number): string | undefined {
  const row = rows[index];
  return row && rowKeyOf(row);
}
