import { ApiError } from "../api-schema/errors.js";
import type { InFlightKind } from "../api-schema/metrics.js";
import type { Clock } from "../runtime/clock.js";
import { countPerKind } from "./count-per-kind.js";
import { createTransfers, SPEED_WINDOW_MS, type Transfer } from "./transfers.js";

/** How often waiting work and stalled transfers are looked at, while there is need. */
const CHECK_INTERVAL_MS = 250;
/** Work that finds no room within this time is refused. */
const MAX_WAIT_MS = 5000;
/** After a refusal stalled transfers are looked for during this time: two windows of their speed, and a check. */
const NEEDED_AFTER_REFUSAL_MS = 2 * SPEED_WINDOW_MS + CHECK_INTERVAL_MS;
const RETRY_LATER = { "Retry-After": "2" } as const;

/**
 * The part of the budget that each kind may take. Together they exceed the whole, so that no kind is starved while the
 * others are idle; the queues, which may stay full for hours, can never take more than three eighths.
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
 * What waits in a queue was accepted: its room does not shrink because others are busy, they have what it leaves.
 */
const QUEUES: ReadonlySet<InFlightKind> = new Set(["export_queue", "evaluation_queue"]);

/** What one kind of work holds. */
export interface ByteAccount {
  /** Most bytes that this kind may hold. */
  readonly limitBytes: number;
  readonly bytes: number;
  /** True where so many more fit the kind's share and, but for queues, the whole. The only work of its kind always fits. */
  hasRoom(bytes: number): boolean;
  /** Takes bytes if they fit; counts a refusal where they do not. */
  tryTake(bytes: number): boolean;
  /** The same. @throws `ApiError` overloaded where they do not fit. */
  require(bytes: number): void;
  /** Takes bytes that are there already, whether they fit or not. Stalled transfers are cut off until they do. */
  take(bytes: number): void;
  giveBack(bytes: number): void;
  /** Takes bytes if they fit and nobody waits for room of this kind. Nothing is refused where they do not. */
  takeIfThere(bytes: number): boolean;
  /**
   * Waits until bytes fit, and takes them. First come, first served.
   *
   * @throws `ApiError` overloaded after 5 seconds; the signal's reason when it is aborted.
   */
  takeWhenThere(bytes: number, signal: AbortSignal): Promise<void>;
  /** The answer to work that finds no room. */
  overloaded(): ApiError;
  /** Watches a large body or answer. Where memory is needed and it is stalled, `cutOff` is called, once. */
  watch(cutOff: () => void): Transfer;
}

/** How much is held, for the metrics. */
export interface ByteBudgetUsage {
  readonly limitBytes: number;
  readonly bytes: Readonly<Record<InFlightKind, number>>;
  /** Work that found no room. */
  readonly refused: Readonly<Record<InFlightKind, number>>;
  /** Transfers that were cut off because they were stalled while memory was needed. */
  readonly cutOff: Readonly<Record<InFlightKind, number>>;
}

/** What bounds {@link createByteBudget}. */
export interface ByteBudgetOptions {
  /** `limits.max_in_flight_bytes`. */
  readonly limitBytes: number;
  readonly clock: Pick<Clock, "monotonic">;
}

/** One bound on the memory that work under way holds, beside the ingestion queue and the trace store. */
export interface ByteBudget {
  account(kind: InFlightKind): ByteAccount;
  /** Cuts off transfers that are stalled, whether or not their memory is needed. */
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
  /** Until then memory is needed that somebody was refused: of the kind, or of the whole. */
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

  /** Traces are evicted whether or not there is room for them: readers must give way. */
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

  function takeIfThere(kind: InFlightKind, bytes: number): boolean {
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

  function giveBack(kind: InFlightKind, bytes: number): void {
    held[kind] -= bytes;
    total -= bytes;
    if (waiting.size > 0) admit();
  }

  /** Lets waiting work go on, the oldest first; of a kind without room all wait. */
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

  /** The kinds whose stalled transfers are to give way: those that are short of room themselves, or all. */
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
    // It is answers that read them.
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
      giveBack: (bytes) => giveBack(kind, bytes),
      takeIfThere: (bytes) => takeIfThere(kind, bytes),
      async takeWhenThere(bytes, signal) {
        signal.throwIfAborted();
        if (takeIfThere(kind, bytes)) return;
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
    `The collector has ${limitBytes} bytes of large requests and answers under way, or a share of it of this kind, which is ` +
      "its limit (limits.max_in_flight_bytes). Try again later, or ask for less at a time.",
    { max_in_flight_bytes: limitBytes },
    RETRY_LATER,
  );
}
