import type { InFlightKind } from "../api-schema/metrics.js";
import type { Clock } from "../runtime/clock.js";
import { countPerKind } from "./count-per-kind.js";

/** Work of at most this size never waits and is never refused: probes, ordinary batches, most answers. */
export const SMALL_BYTES = 64 * 1024;
/** A transfer that moves fewer bytes a second is stalled. Stalled transfers are cut off first when memory is needed. */
const STALLED_BYTES_PER_SECOND = SMALL_BYTES;
/** The period over which the speed of a transfer is measured. */
export const SPEED_WINDOW_MS = 1000;

/** A large body or answer that is being received or sent. */
export interface Transfer {
  moved(bytes: number): void;
  /** Excludes the time until {@link resume} from the speed: the collector itself is busy. */
  pause(): void;
  resume(): void;
  /** Idempotent. */
  end(): void;
}

/** Measures the speed of transfers, and cuts off slow ones. */
export interface Transfers {
  /** @param cutOff - called at most once, when the transfer is cut off. */
  watch(kind: InFlightKind, cutOff: () => void): Transfer;
  cutOffStalled(kinds: ReadonlySet<InFlightKind> | "all"): void;
  /** Cuts off the slowest transfer of a kind, even if it is not stalled. */
  cutOffSlowest(kind: InFlightKind): void;
  /** Transfers that were cut off, of each kind. */
  cutOffCounts(): Readonly<Record<InFlightKind, number>>;
}

interface Watched {
  readonly kind: InFlightKind;
  readonly cutOff: () => void;
  sinceMs: number;
  movedBytes: number;
  /** Undefined unless the transfer is paused. */
  pausedAtMs: number | undefined;
}

export function createTransfers(clock: Pick<Clock, "monotonic">): Transfers {
  const watched = new Set<Watched>();
  const cutOff = countPerKind();

  function end(transfer: Watched): void {
    watched.delete(transfer);
    cutOff[transfer.kind]++;
    transfer.cutOff();
  }

  return {
    watch(kind, onCutOff) {
      const transfer: Watched = {
        kind,
        cutOff: onCutOff,
        sinceMs: clock.monotonic(),
        movedBytes: 0,
        pausedAtMs: undefined,
      };
      watched.add(transfer);
      return {
        moved: (bytes) => void (transfer.movedBytes += bytes),
        pause: () => void (transfer.pausedAtMs ??= clock.monotonic()),
        resume() {
          if (transfer.pausedAtMs === undefined) return;
          transfer.sinceMs += clock.monotonic() - transfer.pausedAtMs;
          transfer.pausedAtMs = undefined;
        },
        end: () => void watched.delete(transfer),
      };
    },
    cutOffStalled(kinds) {
      const nowMs = clock.monotonic();
      for (const transfer of watched) {
        if (kinds !== "all" && !kinds.has(transfer.kind)) continue;
        const elapsedMs = nowMs - transfer.sinceMs;
        if (transfer.pausedAtMs !== undefined || elapsedMs < SPEED_WINDOW_MS) continue;
        if ((transfer.movedBytes / elapsedMs) * 1000 < STALLED_BYTES_PER_SECOND) end(transfer);
        else {
          transfer.sinceMs = nowMs;
          transfer.movedBytes = 0;
        }
      }
    },
    cutOffSlowest(kind) {
      const nowMs = clock.monotonic();
      let slowest: Watched | undefined;
      let lowest = Infinity;
      for (const transfer of watched) {
        if (transfer.kind !== kind) continue;
        const speed = transfer.movedBytes / Math.max(1, nowMs - transfer.sinceMs);
        if (speed >= lowest) continue;
        lowest = speed;
        slowest = transfer;
      }
      if (slowest !== undefined) end(slowest);
    },
    cutOffCounts: () => ({ ...cutOff }),
  };
}
