import { ApiError } from "../api-schema/errors.js";
import type { Clock } from "../runtime/clock.js";

/** Minimum speed of a body: the bytes that must arrive in each window of waiting for the sender. */
export interface PaceLimits {
  readonly windowMs: number;
  readonly minBytes: number;
}

/** Progress of a body. */
export interface BodyProgress {
  /** Bytes received from the sender. */
  readonly bytes: number;
  /** Time in which the collector waited for the sender. */
  readonly waitedMs: number;
}

/** Measures the speed of a body. Only the time in which the collector waits for the sender counts. */
export interface BodyPace {
  /**
   * Waits for the next piece of the body.
   *
   * @throws `ApiError` request_timeout if the body is too slow; the reason passed to {@link end}.
   */
  during<T>(piece: Promise<T>): Promise<T>;
  progress(): BodyProgress;
  /** Rejects the current wait for the body, or the next one. */
  end(reason: ApiError): void;
}

/** @param bytesReceived - returns the number of bytes received from the sender. */
export function createBodyPace(
  { windowMs, minBytes }: PaceLimits,
  bytesReceived: () => number,
  clock: Pick<Clock, "monotonic">,
): BodyPace {
  /** Total time of completed waits. */
  let waitedBeforeMs = 0;
  let waitingSinceMs: number | undefined;
  let windowFromMs = 0;
  let bytesBefore = bytesReceived();
  let ended: ApiError | undefined;
  let endWait: ((reason: ApiError) => void) | undefined;

  function waitedMs(): number {
    return waitedBeforeMs + (waitingSinceMs === undefined ? 0 : clock.monotonic() - waitingSinceMs);
  }

  /** Ends a window. Returns false if too few bytes arrived in it. */
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
      `Fewer than ${minBytes} bytes arrived within ${windowMs / 1000} seconds.`,
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
