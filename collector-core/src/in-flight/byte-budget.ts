import { ApiError } from "../api-schema/errors.js";
import type { InFlightKind } from "../api-schema/metrics.js";
import type { Clock } from "../runtime/clock.js";
import { countPerKind } from "./count-per-kind.js";
import { createTransfers, SPEED_WINDOW_MS, type Transfer } from "./transfers.js";

/** How often waiting work and stalled transfers are checked while memory is needed. */
const CHECK_INTERVAL_MS = 250;
/** Work that finds no room within this time is refused. */
const MAX_WAIT_MS = 5000;
/** Time after a refusal during which stalled transfers are cut off: two speed windows and one check. */
const NEEDED_AFTER_REFUSAL_MS = 2 * SPEED_WINDOW_MS + CHECK_INTERVAL_MS;
const RETRY_LATER = { "Retry-After": "2" } as const;

/**
 * Share of the budget that each kind may take. The shares add up to more than the budget, so that a kind can use memory
 * while others are idle. The queues may stay full for hours and take at most three eighths.
 */
const SHARES: Readonly<Record<InFlightKind, number>> = {
  request_bodies: 1 / 2,
  answers: 1 / 2,
  evicted_traces: 1 / 4,
  import_lines: 1 / 2,
  export_queue: 1 / 4,
  evaluation_queue: 1 / 8,
};

/**
 * Queued work was accepted, so other work cannot take its share: other kinds get the rest.
 */
const QUEUES: ReadonlySet<InFlightKind> = new Set(["export_queue", "evaluation_queue"]);

/** The memory that one kind of work holds. */
export interface ByteAccount {
  /** Maximum bytes of this kind. */
  readonly limitBytes: number;
  readonly bytes: number;
  /** True if the bytes fit the share of the kind and, except for queues, the whole budget. The only work of its kind always fits. */
  hasRoom(bytes: number): boolean;
  /** Takes bytes if they fit; otherwise counts a refusal. */
  tryTake(bytes: number): boolean;
  /** Takes bytes. @throws `ApiError` overloaded if they do not fit. */
  require(bytes: number): void;
  /** Charges bytes that are allocated already, even if they do not fit. Stalled transfers are cut off until they fit. */
  take(bytes: number): void;
  release(bytes: number): void;
  /** Takes bytes if they fit and no work of this kind waits. Does not count a refusal otherwise. */
  takeIfAvailable(bytes: number): boolean;
  /**
   * Waits until bytes fit, and takes them. First come, first served.
   *
   * @throws `ApiError` overloaded after 5 seconds; the signal's reason when it is aborted.
   */
  takeWhenAvailable(bytes: number, signal: AbortSignal): Promise<void>;
  /** The error for work that does not fit. */
  overloaded(): ApiError;
  /** Watches a large body or response. Calls `cutOff` once if it is stalled while memory is needed. */
  watch(cutOff: () => void): Transfer;
}

/** Usage for the metrics. */
export interface ByteBudgetUsage {
  readonly limitBytes: number;
  readonly bytes: Readonly<Record<InFlightKind, number>>;
  /** Refused work. */
  readonly refused: Readonly<Record<InFlightKind, number>>;
  /** Transfers that were cut off because they were stalled while memory was needed. */
  readonly cutOff: Readonly<Record<InFlightKind, number>>;
}

/** Options of {@link createByteBudget}. */
export interface ByteBudgetOptions {
  /** `limits.max_in_flight_bytes`. */
  readonly limitBytes: number;
  readonly clock: Pick<Clock, "monotonic">;
}

/** Limits the memory of work under way, apart from the ingestion queue and the trace store. */
export interface ByteBudget {
  account(kind: InFlightKind): ByteAccount;
  /** Cuts off stalled transfers, even if no memory is needed. */
  cutOffStalled(): void;
  usage(): ByteBudgetUsage;
}

interface Waiting {
  readonly kind: InFlightKind;
  readonly bytes: number;
  readonly sinceMs: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export function createByteBudget({ limitBytes, clock }: ByteBudgetOptions): ByteBudget {
  const held = countPerKind();
  const refused = countPerKind();
  const transfers = createTransfers(clock);
  const waiting = new Set<Waiting>();
  let total = 0;
  /** After a refusal: the time until which the kind, or the whole budget, needs memory. */
  const neededUntilMs = new Map<InFlightKind | "whole", number>();
  let checks: NodeJS.Timeout | undefined;

  function shareOf(kind: InFlightKind): number {
    return Math.floor(limitBytes * SHARES[kind]);
  }

  function hasRoom(kind: InFlightKind, bytes: number): boolean {
    if (held[kind] === 0) return true;
    return fitsWhole(kind, bytes) && held[kind] + bytes <= shareOf(kind);
  }

  function fitsWhole(kind: InFlightKind, bytes: number): boolean {
    return QUEUES.has(kind) || total + bytes <= limitBytes;
  }

  /** Eviction does not wait for room: readers of evicted traces must give way. */
  function areTooManyEvicted(): boolean {
    return held.evicted_traces > shareOf("evicted_traces");
  }

  function isOver(): boolean {
    return total > limitBytes || areTooManyEvicted();
  }

  function take(kind: InFlightKind, bytes: number): void {
    held[kind] += bytes;
    total += bytes;
    if (isOver()) keepChecking();
  }

  function takeIfAvailable(kind: InFlightKind, bytes: number): boolean {
    for (const work of waiting) if (work.kind === kind) return false;
    if (!hasRoom(kind, bytes)) return false;
    take(kind, bytes);
    return true;
  }

  function tryTake(kind: InFlightKind, bytes: number): boolean {
    if (hasRoom(kind, bytes)) {
      take(kind, bytes);
      return true;
    }
    refuse(kind, bytes);
    return false;
  }

  function release(kind: InFlightKind, bytes: number): void {
    held[kind] -= bytes;
    total -= bytes;
    if (waiting.size > 0) admit();
  }

  /** Admits waiting work, oldest first. If one of a kind does not fit, all later ones of that kind wait. */
  function admit(): void {
    const full = new Set<InFlightKind>();
    for (const work of waiting) {
      if (full.has(work.kind)) continue;
      if (hasRoom(work.kind, work.bytes)) {
        waiting.delete(work);
        take(work.kind, work.bytes);
        work.resolve();
      } else full.add(work.kind);
    }
  }

  function refuse(kind: InFlightKind, bytes: number): void {
    refused[kind]++;
    const lacking = fitsWhole(kind, bytes) ? kind : "whole";
    neededUntilMs.set(lacking, clock.monotonic() + NEEDED_AFTER_REFUSAL_MS);
    keepChecking();
  }

  /** The kinds whose stalled transfers are cut off: those short of room, or all. */
  function neededKinds(nowMs: number): ReadonlySet<InFlightKind> | "all" {
    const kinds = new Set<InFlightKind>();
    if (total > limitBytes) return "all";
    for (const { kind, bytes } of waiting) {
      if (!fitsWhole(kind, bytes)) return "all";
      kinds.add(kind);
    }
    for (const [kind, untilMs] of neededUntilMs) {
      if (nowMs >= untilMs) neededUntilMs.delete(kind);
      else if (kind === "whole") return "all";
      else kinds.add(kind);
    }
    // Responses read the evicted traces.
    if (areTooManyEvicted()) kinds.add("answers");
    return kinds;
  }

  function keepChecking(): void {
    checks ??= setInterval(check, CHECK_INTERVAL_MS).unref();
  }

  function check(): void {
    const nowMs = clock.monotonic();
    for (const work of waiting) {
      if (nowMs - work.sinceMs < MAX_WAIT_MS) continue;
      waiting.delete(work);
      refuse(work.kind, work.bytes);
      work.reject(overloaded(limitBytes));
    }
    const kinds = neededKinds(nowMs);
    if (kinds === "all" || kinds.size > 0) {
      transfers.cutOffStalled(kinds);
      if (areTooManyEvicted()) transfers.cutOffSlowest("answers");
      admit();
      return;
    }
    clearInterval(checks);
    checks = undefined;
  }

  function account(kind: InFlightKind): ByteAccount {
    return {
      limitBytes: shareOf(kind),
      get bytes() {
        return held[kind];
      },
      hasRoom: (bytes) => hasRoom(kind, bytes),
      tryTake: (bytes) => tryTake(kind, bytes),
      require(bytes) {
        if (!tryTake(kind, bytes)) throw overloaded(limitBytes);
      },
      take: (bytes) => take(kind, bytes),
      release: (bytes) => release(kind, bytes),
      takeIfAvailable: (bytes) => takeIfAvailable(kind, bytes),
      async takeWhenAvailable(bytes, signal) {
        signal.throwIfAborted();
        if (takeIfAvailable(kind, bytes)) return;
        await new Promise<void>((resolve, reject) => {
          const leave = (): void => {
            waiting.delete(work);
            reject(signal.reason as Error);
          };
          const settled = (): void => signal.removeEventListener("abort", leave);
          const work: Waiting = {
            kind,
            bytes,
            sinceMs: clock.monotonic(),
            resolve: () => {
              settled();
              resolve();
            },
            reject: (error) => {
              settled();
              reject(error);
            },
          };
          signal.addEventListener("abort", leave, { once: true });
          waiting.add(work);
          keepChecking();
        });
      },
      overloaded: () => overloaded(limitBytes),
      watch: (onCutOff) => transfers.watch(kind, onCutOff),
    };
  }

  return {
    account,
    cutOffStalled: () => transfers.cutOffStalled("all"),
    usage: () => ({
      limitBytes,
      bytes: { ...held },
      refused: { ...refused },
      cutOff: transfers.cutOffCounts(),
    }),
  };
}

function overloaded(limitBytes: number): ApiError {
  return new ApiError(
    "overloaded",
    `Large requests and responses in progress have reached limits.max_in_flight_bytes (${limitBytes} bytes), or the share of ` +
      "it for this kind of work. Try again later, or with a smaller request.",
    { max_in_flight_bytes: limitBytes },
    RETRY_LATER,
  );
}
