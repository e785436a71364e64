import { ApiError } from "../api-schema/errors.js";
import type { Clock } from "../runtime/clock.js";

/** How slowly a body may come: so many bytes at least in each window of waiting for its sender. */
export interface PaceLimits {
  readonly windowMs: number;
  readonly minBytes: number;
}

/** How far a body has come. */
export interface BodyProgress {
  /** Bytes received from the sender. */
  readonly bytes: number;
  /** Time in which the collector waited for the sender. */
  readonly waitedMs: number;
}

/** Watches how fast a body comes. Only the time in which the collector waits for the sender counts. */
export interface BodyPace {
  /**
   * Waits for a piece of the body.
   *
   * @throws `ApiError` request_timeout, where too little came for too long; what {@link end} is given.
   */
  during<T>(piece: Promise<T>): Promise<T>;
  progress(): BodyProgress;
  /** Waits no more for the body: the wait under way rejects, or the next one. */
  end(reason: ApiError): void;
}

/** @param bytesReceived - from the sender so far. */
export function createBodyPace(
  { windowMs, minBytes }: PaceLimits,
  bytesReceived: () => number,
  clock: Pick<Clock, "monotonic">,
): BodyPace {
  /** Of all waits that are over. */
  let waitedBeforeMs = 0;
  let waitingSinceMs: number | undefined;
  let windowFromMs = 0;
  let bytesBefore = bytesReceived();
  let ended: ApiError | undefined;
  let endWait: ((reason: ApiError) => void) | undefined;

  function waitedMs(): number {
    return waitedBeforeMs + (waitingSinceMs === undefined ? 0 : clock.monotonic() - waitingSinceMs);
  }

  /** Ends a window of waiting; false where too little came in it. */
  function passWindow(): boolean {
    const isEnough = bytesReceived() - bytesBefore >= minBytes;
    windowFromMs = waitedMs();
    bytesBefore = bytesReceived();
    return isEnough;
  }

  async function during<T>(piece: Promise<T>): Promise<T> {
    if (ended !== undefined) throw ended;
    waitingSinceMs = clock.monotonic();
    let timer: NodeJS.Timeout | undefined;
    const tooSlow = new Promise<never>((_resolve, reject) => {
      endWait = reject;
      const watch = (afterMs: number): void => {
        timer = setTimeout(() => {
          if (passWindow()) watch(windowMs);
          else reject(timedOut());
        }, afterMs);
      };
      watch(Math.max(0, windowFromMs + windowMs - waitedMs()));
    });
    try {
      return await Promise.race([piece, tooSlow]);
    } finally {
      clearTimeout(timer);
      endWait = undefined;
      waitedBeforeMs = waitedMs();
      waitingSinceMs = undefined;
      if (bytesReceived() - bytesBefore >= minBytes) passWindow();
    }
  }

  function timedOut(): ApiError {
    return new ApiError(
      "request_timeout",
      `Less than ${minBytes} bytes came within ${windowMs / 1000} seconds.`,
      { window_seconds: windowMs / 1000, min_bytes: minBytes },
    );
  }

  return {
    during,
    progress: () => ({ bytes: bytesReceived(), waitedMs: waitedMs() }),
    end(reason) {
      ended = reason;
      endWait?.(reason);
    },
  };
}
