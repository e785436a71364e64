/** The write-ahead log of usual commits, and of the checkpoint after it. */
const MAX_LOG_BYTES = 16 * 2 ** 20;
/** Enough to evict traces on a full disk, where a file cannot grow. */
const MAX_RESERVE_BYTES = 16 * 2 ** 20;

/** How `trace_store.disk_max_bytes` is divided. */
export interface DiskShares {
  /** The file itself: the oldest traces are evicted beyond it. */
  readonly fileBytes: number;
  /** The file of {@link SpaceReserve}. */
  readonly reserveBytes: number;
}

/** Leaves room for the log, at most an eighth of the limit, and for the reserve, at most a hundredth. */
export function diskShares(diskMaxBytes: number): DiskShares {
  const logBytes = Math.min(MAX_LOG_BYTES, Math.floor(diskMaxBytes / 8));
  const reserveBytes = Math.min(MAX_RESERVE_BYTES, Math.floor(diskMaxBytes / 100));
  return { fileBytes: diskMaxBytes - logBytes - reserveBytes, reserveBytes };
}
