import { millisecondsBetween } from "@obspan/collector-core/analysis";
import { useTracePage } from "../trace-page-context.js";
import { useNow } from "../../../components/use-now.js";

/**
 * The end of running spans, in milliseconds from the start of the trace: the current time, but not before the latest
 * known time. Constant if nothing runs.
 */
export function useTraceNow(): number {
  const { tree } = useTracePage();
  const now = useNow(tree.isRunning);
  if (!tree.isRunning) return tree.endMs;
  return Math.max(tree.endMs, millisecondsBetween(tree.startTime, new Date(now).toISOString()) ?? 0);
}
