import type { IncomingMessage } from "node:http";
import { ApiError } from "../api-schema/errors.js";
import { RequestAborted } from "../runtime/request-aborted.js";
import { createConcurrencyLimit } from "../runtime/concurrency-limit.js";
import type { BodyPace, BodyProgress } from "./body-pace.js";

/** Limits the number of concurrent imports. */
export interface ImportSlots {
  /**
   * Runs an import when a slot is free. While other imports wait, an import with a slow sender is ended.
   *
   * @throws `ApiError` overloaded after 5 seconds without a free slot; `RequestAborted` if the client disconnects before.
   */
  run<T>(request: IncomingMessage, pace: BodyPace, task: () => Promise<T>): Promise<T>;
}

/** Number of slots. */
const MAX_IMPORTS = 8;
/** An import that gets no slot within this time is refused. */
const MAX_WAIT_MS = 5000;
/** A slower sender loses its slot while imports wait. */
const SLOW_BYTES_PER_SECOND = 64 * 1024;
/** Time of waiting for a sender over which its speed is measured. */
const SPEED_WINDOW_MS = 1000;
/** Interval of the speed checks while imports wait. */
const CHECK_INTERVAL_MS = 250;

export function createImportSlots(): ImportSlots {
  const limit = createConcurrencyLimit(MAX_IMPORTS);
  /** Progress of each running import at the start of its measurement. */
  const running = new Map<BodyPace, BodyProgress>();
  let waiting = 0;
  let checks: NodeJS.Timeout | undefined;

  function beginWait(): void {
    waiting++;
    if (checks !== undefined) return;
    for (const pace of running.keys()) running.set(pace, pace.progress());
    checks = setInterval(endSlowest, CHECK_INTERVAL_MS).unref();
  }

  function endWait(): void {
    waiting--;
    if (waiting > 0) return;
    clearInterval(checks);
    checks = undefined;
  }

  /** Ends the slowest imports, at most one for each waiting import. */
  function endSlowest(): void {
    const slow: { readonly pace: BodyPace; readonly speed: number }[] = [];
    for (const [pace, before] of running) {
      const now = pace.progress();
      const elapsedMs = now.waitedMs - before.waitedMs;
      if (elapsedMs < SPEED_WINDOW_MS) continue;
      const speed = ((now.bytes - before.bytes) / elapsedMs) * 1000;
      if (speed < SLOW_BYTES_PER_SECOND) slow.push({ pace, speed });
      else running.set(pace, now);
    }
    slow.sort((a, b) => a.speed - b.speed);
    for (const { pace } of slow.slice(0, waiting)) {
      running.delete(pace);
      pace.end(tooSlow());
    }
  }

  return {
    async run(request, pace, task) {
      const waits = new AbortController();
      const onClose = (): void => waits.abort(new RequestAborted());
      if (request.destroyed) onClose();
      request.once("close", onClose);
      const timer = setTimeout(() => waits.abort(tooMany()), MAX_WAIT_MS);
      let isWaiting = true;
      const stopWaiting = (): void => {
        if (!isWaiting) return;
        isWaiting = false;
        request.off("close", onClose);
        clearTimeout(timer);
        endWait();
      };
      beginWait();
      try {
        return await limit(async () => {
          stopWaiting();
          running.set(pace, pace.progress());
          try {
            return await task();
          } finally {
            running.delete(pace);
          }
        }, waits.signal);
      } finally {
        stopWaiting();
      }
    },
  };
}

function tooMany(): ApiError {
  return new ApiError(
    "overloaded",
    `${MAX_IMPORTS} imports are running, which is the limit. Try again later.`,
    { max_imports: MAX_IMPORTS },
    { "Retry-After": "2" },
  );
}

function tooSlow(): ApiError {
  return new ApiError(
    "request_timeout",
    `Fewer than ${SLOW_BYTES_PER_SECOND} bytes arrived in a second while other imports were waiting.`,
    { min_bytes_per_second: SLOW_BYTES_PER_SECOND },
  );
}
