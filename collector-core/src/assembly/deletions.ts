import type { DeletedTraces, TraceKey } from "../interfaces.js";
import type { Foundation } from "./foundation.js";
import type { Outputs } from "./outputs.js";
import type { Pipeline } from "./pipeline.js";
import type { Shared } from "./shared.js";
import { isStoreShared } from "./storage.js";

/** Called when traces were deleted from the store. */
export type OnDeleted = (deleted: DeletedTraces) => void;

/**
 * Removes deleted traces from evaluation, the evaluation log and live clients: of this collector, and of all that share its store. A
 * pending evaluation would bring its trace back.
 */
export function createDeletions(
  { config }: Foundation,
  { evaluationLog, live }: Outputs,
  { evaluation }: Pipeline,
  shared: Shared | undefined,
): OnDeleted {
  function forget(deleted: DeletedTraces): void {
    const isDeleted = ({ tenant, traceId }: TraceKey): boolean =>
      (deleted.tenant === undefined || deleted.tenant === tenant) &&
      (deleted.traceId === undefined || deleted.traceId === traceId);
    evaluation?.evaluator.cancel(isDeleted);
    evaluationLog.remove(isDeleted);
    live.cleared(isDeleted);
  }

  if (shared === undefined || !isStoreShared(config)) return forget;
  shared.deletions.subscribe(forget);
  return (deleted) => {
    forget(deleted);
    shared.deletions.add(deleted);
  };
}
