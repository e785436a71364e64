import { millisecondsBetween } from "../model/instant.js";
import { useTracePage } from "../trace-page-context.js";
import { useNow } from "./use-now.js";

/**
 * Where running spans end, in milliseconds from the start of the trace: now, but not before the latest moment that is
 * known, whatever this machine's clock says. Where nothing runs it stands still.
 */
export function useTraceNow(): number {
  const { tree } = useTracePage();
  const now = useNow(tree.isRunning);
  if (!tree.isRunning) return tree.endMs;
  return Math.max(tree.endMs, millisecondsBetween(tree.startTime, new Date(now).toISOString()) ?? 0);
}
