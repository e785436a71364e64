import type { LiveStatus } from "@obspan/collector-core/api-schema";
import { formatDay, formatTime, formatWhole } from "../format.js";

/** State of the trace store, as the live status reports it. */
export type StoreStatus = NonNullable<LiveStatus["store"]>;

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;

/** Whether the traces are lost when the collector stops. */
export function isInMemory({ disk_bytes: diskBytes }: Pick<StoreStatus, "disk_bytes">): boolean {
  return diskBytes === null;
}

/** `14:02` today, else `12 Nov`; undefined if nothing is kept. */
export function keptSince(oldestAt: string | null, now: Date): string | undefined {
  if (oldestAt === null) return undefined;
  const isToday = new Date(oldestAt).toDateString() === now.toDateString();
  return isToday ? formatTime(oldestAt).slice(0, 5) : formatDay(oldestAt);
}

/** `14 days`, `6 hours`, `no limit`. */
export function ageLimit(ttlSeconds: number): string {
  if (ttlSeconds === 0) return "no limit";
  const [unit, length] = (
    [
      ["day", DAY_S],
      ["hour", HOUR_S],
      ["minute", MINUTE_S],
    ] as const
  ).find(([, seconds]) => ttlSeconds % seconds === 0) ?? ["second", 1];
  const count = ttlSeconds / length;
  return `${formatWhole(count)} ${count === 1 ? unit : `${unit}s`}`;
}

/** What the banner says of a degraded store. */
export interface DegradedWords {
  /** What no longer works. */
  readonly what: string;
  /** Why, as the collector reports it. */
  readonly reason: string;
  /** What to do. */
  readonly remedy: string;
  /** Whether spans are being lost now. */
  readonly isLosing: boolean;
}

/** Undefined while the store is well. */
export function degradedWords(store: StoreStatus): DegradedWords | undefined {
  if (store.state === "ok") return undefined;
  const reason = store.reason ?? "";
  if (isInMemory(store))
    return {
      what: "Traces are not kept on disk, and are lost when the collector stops.",
      // The collector begins with the same statement.
      reason: reason.replace(/^Traces are kept in memory only\.\s*/, ""),
      remedy: memoryRemedy(reason),
      isLosing: false,
    };
  return {
    what: "New spans are not kept.",
    reason,
    remedy: /\bdisk\b/.test(reason)
      ? "Free some space: the collector tries again every few seconds."
      : "Look at the log and at the directory trace_store.path: the collector tries again by itself.",
    isLosing: true,
  };
}

/** Empty if the reason itself says what to do. */
function memoryRemedy(reason: string): string {
  if (/trace_store\.path/.test(reason)) return "";
  return "Set trace_store.path to another directory, and start again.";
}

/** What the banner says while the store indexes its file again; undefined otherwise. */
export function rebuildText({ rebuild_progress: progress }: StoreStatus): string | undefined {
  if (progress === null) return undefined;
  return `${Math.floor(progress * 100)} % done. Older traces are missing in lists until then. New spans are kept.`;
}

/** `1,204 spans are lost so far.`; empty if none. */
export function unsavedText(spans: number): string {
  if (spans === 0) return "";
  return `${formatWhole(spans)} ${spans === 1 ? "span is" : "spans are"} lost so far.`;
}

/** When traces go: by their age, and at which limits of this store. */
export function limitsText(store: StoreStatus): string {
  const age =
    store.ttl_seconds === 0
      ? "Traces do not expire."
      : `Traces expire ${ageLimit(store.ttl_seconds)} after their last span.`;
  const limits = [
    ...(store.max_traces === null ? [] : ["traces"]),
    ...(isInMemory(store) ? ["memory"] : []),
    ...(store.disk_max_bytes === null ? [] : ["the disk"]),
  ];
  return limits.length === 0
    ? `${age} No number or size of them is a limit: ClickHouse keeps them.`
    : `${age} At the limit of ${limits.join(" or ")}, the oldest go first.`;
}
