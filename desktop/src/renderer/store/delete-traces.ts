import type { TraceKey } from "../api/collector-api.js";
import { traceKeyOf } from "./trace-key.js";

/** Parallel deletions: a browser opens six connections to a host. */
const CONCURRENCY = 4;

/** Result of {@link deleteTraces}. */
export interface DeletionResult {
  /** Keys of the traces that were not deleted. */
  readonly kept: ReadonlySet<string>;
  /** The error message; undefined if all were deleted. */
  readonly failure: string | undefined;
}

/** Deletes traces by row key, a few at a time. A missing trace counts as deleted. */
export async function deleteTraces(
  rowKeys: ReadonlySet<string>,
  deleteTrace: (key: TraceKey) => Promise<void>,
): Promise<DeletionResult> {
  const queue = [...rowKeys];
  const kept = new Set<string>();
  let reason = "";

  async function work(): Promise<void> {
    for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
      try {
        await deleteTrace(traceKeyOf(key));
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "trace_not_found") continue;
        kept.add(key);
        reason = error instanceof Error ? error.message : String(error);
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  const count = kept.size === 1 ? "1 trace was" : `${kept.size} traces were`;
  return { kept, failure: kept.size === 0 ? undefined : `${count} not deleted: ${reason}` };
}
