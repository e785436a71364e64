import { useCallback, useMemo, useState } from "react";
import { useLocation } from "wouter";
import type { StatsView } from "../../store/stats-store.js";
import { tracesOf } from "./stats-address.js";

/** The crosshair that all charts share. */
export interface Crosshair {
  readonly point: number | undefined;
  /** The panel in which it is being moved. */
  readonly panel: string | undefined;
  readonly move: (panel: string, point: number | undefined) => void;
  /** Opens the traces of the point. */
  readonly choose: (point: number) => void;
}

export function useCrosshair(view: StatsView, times: readonly number[], stepSeconds: number): Crosshair {
  const [mark, setMark] = useState<{ panel: string; point: number }>();
  const [, navigate] = useLocation();
  const move = useCallback((panel: string, point: number | undefined) => {
    setMark((before) => {
      if (point === undefined) return before?.panel === panel ? undefined : before;
      return before?.panel === panel && before.point === point ? before : { panel, point };
    });
  }, []);
  return useMemo(
    () => ({
      point: mark?.point,
      panel: mark?.panel,
      move,
      choose(point) {
        const seconds = times[point];
        if (seconds !== undefined) navigate(tracesOf(view, seconds * 1000, stepSeconds * 1000));
      },
    }),
    [mark, move, navigate, stepSeconds, times, view],
  );
}
