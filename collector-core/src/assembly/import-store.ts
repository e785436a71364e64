import { ApiError } from "../api-schema/errors.js";
import type { TraceStore } from "../interfaces.js";
import type { ImportStore } from "../pipeline/import-spans.js";
import type { Outputs } from "./outputs.js";

/**
 * Creates the store of one import: it keeps the spans, notifies live clients and counts the traces evicted for them and the
 * spans that could not be saved.
 */
export function createImportStore(
  store: Pick<TraceStore, "append" | "flush" | "usage">,
  { evaluationLog, live }: Pick<Outputs, "evaluationLog" | "live">,
): ImportStore {
  const isOnDisk = isStoreOnDisk(store);
  const evictedBefore = evictedTraces();
  const unsavedBefore = unsavedSpans();
  let evictedAtOnce = 0;

  function evictedTraces(): number {
    const { max_traces, max_bytes, disk_max_bytes, ttl } = store.usage().evicted;
    return max_traces + max_bytes + disk_max_bytes + ttl;
  }

  function unsavedSpans(): number {
    return Object.values(store.usage().unsaved).reduce((sum, spans) => sum + spans, 0);
  }

  return {
    async append(spans, restored) {
      // Spans of an app are counted when they are lost. The client of an import has the file, and can send it again.
      requireKeeping(store);
      const before = evictedTraces();
      const appended = store.append(spans, { isImport: true, restored });
      // The memory store has evicted by now, and nothing else has run since.
      evictedAtOnce += evictedTraces() - before;
      await appended;
      evaluationLog.offer(spans);
      live.offer(spans);
    },
    async end() {
      if (!isOnDisk) return { evictedTraces: evictedAtOnce, unsavedSpans: 0, reason: null };
      // A store on disk evicts and fails later. What happened to other spans during the import counts too.
      await store.flush();
      return {
        evictedTraces: evictedTraces() - evictedBefore,
        unsavedSpans: unsavedSpans() - unsavedBefore,
        reason: store.usage().reason,
      };
    },
  };
}

/** @throws `ApiError` trace_store_unavailable while a store on disk keeps no new spans. */
export function requireKeeping(store: Pick<TraceStore, "usage">): void {
  const { state, reason } = store.usage();
  if (!isStoreOnDisk(store) || state === "ok") return;
  throw new ApiError("trace_store_unavailable", notKept(reason), {}, { "Retry-After": "5" });
}

function isStoreOnDisk(store: Pick<TraceStore, "usage">): boolean {
  return store.usage().diskBytes !== null;
}

function notKept(reason: string | null): string {
  return `The trace store keeps no new spans. ${reason ?? "The log of the collector says why."}`;
}
