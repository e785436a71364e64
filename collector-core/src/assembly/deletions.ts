import type { ArrivedTrace, DeletedTraces } from "../interfaces.js";
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
  function forget(isDeleted: (trace: ArrivedTrace) => boolean): void {
    evaluation?.evaluator.cancel(isDeleted);
    evaluationLog.remove(isDeleted);
    live.cleared(isDeleted);
  }
  const forgetDeleted: OnDeleted = (deleted) =>
    forget(
      ({ tenant, traceId }) =>
        (deleted.tenant === undefined || deleted.tenant === tenant) &&
        (deleted.traceId === undefined || deleted.traceId === traceId),
    );

  if (shared === undefined || !isStoreShared(config)) return forgetDeleted;
  shared.deletions.subscribe(forget);
  return (deleted) => {
    forgetDeleted(deleted);
    // The store has told the others what was deleted. Now they look at once.
    shared.live.publish("cleared");
  };
}
