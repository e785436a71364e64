/** The write-ahead log of usual commits, and of the checkpoint after it. */
const MAX_LOG_BYTES = 16 * 2 ** 20;
/** Enough for the log to be copied into the file, and for evictions, on a full disk. */
const MAX_RESERVE_BYTES = 16 * 2 ** 20;

/** How `trace_store.disk_max_bytes` is divided. */
export interface DiskShares {
  /** The file itself: the oldest traces are evicted beyond it. */
  readonly fileBytes: number;
  /** The file of {@link SpaceReserve}. */
  readonly reserveBytes: number;
}

/** Leaves room for the log, at most an eighth of the limit, and for the reserve, at most a sixteenth. */
export function diskShares(diskMaxBytes: number): DiskShares {
  const logBytes = Math.min(MAX_LOG_BYTES, Math.floor(diskMaxBytes / 8));
  const reserveBytes = Math.min(MAX_RESERVE_BYTES, Math.floor(diskMaxBytes / 16));
  return { fileBytes: diskMaxBytes - logBytes - reserveBytes, reserveBytes };
}
