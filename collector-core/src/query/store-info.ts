import { dirname } from "node:path";
import type { StoreInfo } from "../api-schema/store.js";
import type { StoreFileInfo } from "../interfaces.js";

/** The options that bound a store on disk. */
export type StoreLimits = Pick<
  StoreInfo,
  "disk_max_bytes" | "disk_min_free_bytes" | "ttl_seconds" | "max_traces"
>;

/** Describes a store for `GET /v1/store` and for the command line. */
export function describeStore(
  file: StoreFileInfo,
  rest: StoreLimits & Pick<StoreInfo, "state" | "reason" | "version" | "task" | "rebuild_progress">,
): StoreInfo {
  return {
    directory: dirname(file.path),
    state: rest.state,
    reason: rest.reason,
    traces: file.traces,
    spans: file.spans,
    evaluations: file.evaluations,
    kept_since: timeOf(file.oldestMs),
    newest: timeOf(file.newestMs),
    disk_bytes: file.fileBytes + file.logBytes + file.reserveBytes,
    log_bytes: file.logBytes,
    reusable_bytes: file.freePages * file.pageBytes,
    raw_bytes: file.rawBytes,
    disk_max_bytes: rest.disk_max_bytes,
    disk_min_free_bytes: rest.disk_min_free_bytes,
    free_bytes: Number.isFinite(file.freeDiskBytes) ? file.freeDiskBytes : null,
    ttl_seconds: rest.ttl_seconds,
    max_traces: rest.max_traces,
    created_at: timeOf(file.createdAtMs) ?? new Date(0).toISOString(),
    format_version: file.formatVersion,
    sqlite_version: file.sqliteVersion,
    driver: file.driver,
    version: rest.version,
    task: rest.task,
    rebuild_progress: rest.rebuild_progress,
  };
}

/** Null for a number that is not a time: somebody else may have written the file. */
function timeOf(ms: number | null): string | null {
  const time = new Date(ms ?? Number.NaN);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
