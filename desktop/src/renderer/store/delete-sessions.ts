import type { TraceKey } from "../api/collector-api.js";
import { deleteTraces, type DeletionResult } from "./delete-traces.js";
import { rowKeyOf } from "./trace-key.js";

/** Deletes all traces of sessions, one session after the other. One that is gone counts as deleted. */
export async function deleteSessions(
  rowKeys: ReadonlySet<string>,
  tracesOf: (rowKey: string) => Promise<readonly TraceKey[]>,
  deleteTrace: (key: TraceKey) => Promise<void>,
): Promise<DeletionResult> {
  const kept = new Set<string>();
  let failure: string | undefined;
  for (const rowKey of rowKeys)
    try {
      const traces = await tracesOf(rowKey);
      const keys = traces.map(({ tenant = "", traceId }) => rowKeyOf({ tenant, trace_id: traceId }));
      const result = await deleteTraces(new Set(keys), deleteTrace);
      if (result.failure === undefined) continue;
      kept.add(rowKey);
      failure ??= result.failure;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "session_not_found") continue;
      kept.add(rowKey);
      failure ??= error instanceof Error ? error.message : String(error);
    }
  return { kept, failure };
}
