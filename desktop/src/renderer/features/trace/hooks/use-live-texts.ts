import { useEffect } from "react";
import type { TraceKey } from "../../../api/collector-api.js";
import { useStores } from "../../../app-context.js";

/** Follows the texts of a trace while it runs. */
export function useLiveTexts({ traceId, tenant }: TraceKey, isRunning: boolean): void {
  const { liveTexts } = useStores();
  useEffect(
    () => (isRunning ? liveTexts.getState().follow({ traceId, tenant }) : undefined),
    [liveTexts, traceId, tenant, isRunning],
  );
}
