import { ApiError } from "../contract/errors.js";
import type { Clock } from "../interfaces.js";

/** How slowly a body may come: so many bytes at least in each window of waiting for its sender. */
export interface PaceLimits {
  readonly windowMs: number;
  readonly minBytes: number;
}

/** Watches how fast a body comes. Only the time in which the collector waits for the sender counts. */
export interface BodyPace {
  /**
   * Waits for a piece of the body.
   *
   * @throws `ApiError` request_timeout, where too little came for too long.
   */
  during<T>(piece: Promise<T>): Promise<T>;
}

/** @param bytesReceived - from the sender so far. */
export function createBodyPace(
  { windowMs, minBytes }: PaceLimits,
  bytesReceived: () => number,
  clock: Pick<Clock, "monotonic">,
): BodyPace {
  let waitedMs = 0;
  let bytesBefore = bytesReceived();

  /** Ends a window of waiting; false where too little came in it. */
  function passWindow(): boolean {
    const isEnough = bytesReceived() - bytesBefore >= minBytes;
    waitedMs = 0;
    bytesBefore = bytesReceived();
    return isEnough;
  }

  async function during<T>(piece: Promise<T>): Promise<T> {
    const sinceMs = clock.monotonic();
    let timer: NodeJS.Timeout | undefined;
    const tooSlow = new Promise<never>((_resolve, reject) => {
      const watch = (afterMs: number): void => {
        timer = setTimeout(() => {
          if (passWindow()) watch(windowMs);
          else reject(timedOut());
        }, afterMs);
      };
      watch(Math.max(0, windowMs - waitedMs));
    });
    try {
      return await Promise.race([piece, tooSlow]);
    } finally {
      clearTimeout(timer);
      waitedMs = Math.min(windowMs, waitedMs + clock.monotonic() - sinceMs);
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
  return { during };
}
