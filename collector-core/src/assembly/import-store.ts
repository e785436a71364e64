import type { TraceStore } from "../interfaces.js";
import type { ImportStore } from "../pipeline/import-spans.js";
import type { Outputs } from "./outputs.js";

/** Creates the store of one import: it keeps the spans, notifies live clients and counts the traces evicted for them. */
export function createImportStore(
  store: Pick<TraceStore, "append" | "flush" | "usage">,
  { restoredEvaluations, evaluationLog, live }: Outputs,
): ImportStore {
  const append = restoredEvaluations?.append ?? ((...appended) => store.append(...appended));
  const isOnDisk = store.usage().diskBytes !== null;
  const evictedBefore = evictedTraces();
  let evictedAtOnce = 0;

  function evictedTraces(): number {
    const { max_traces, max_bytes, disk_max_bytes, ttl } = store.usage().evicted;
    return max_traces + max_bytes + disk_max_bytes + ttl;
  }

  return {
    async append(spans, restored) {
      const before = evictedTraces();
      const appended = append(spans, { isImport: true, restored });
      // The memory store has evicted by now, and nothing else has run since.
      evictedAtOnce += evictedTraces() - before;
      await appended;
      await evaluationLog.offer(spans);
      await live.offer(spans);
    },
    async evictedTraces() {
      if (!isOnDisk) return evictedAtOnce;
      // A store on disk evicts later. Traces evicted for other spans that arrived during the import count too.
      await store.flush();
      return evictedTraces() - evictedBefore;
    },
  };
}
