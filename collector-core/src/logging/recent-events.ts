import type { Events, RefusedRequest, Warning } from "../api-schema/events.js";
import type { Clock } from "../runtime/clock.js";
import type { Logger } from "./logger.js";
import { truncateCodePoints } from "../span/kept-text.js";

/** Recent rejected requests and warnings (contract 3, `GET /v1/events`). */
export interface RecentEvents {
  refused(request: Omit<RefusedRequest, "time" | "first_time" | "count">): void;
  warned(warning: Omit<Warning, "time" | "first_time" | "count">): void;
  read(): Events;
}

const MAX_REFUSED = 100;
const MAX_WARNINGS = 200;
/** Longest message, in characters. */
const MAX_TEXT = 500;

export function createRecentEvents(clock: Pick<Clock, "now">): RecentEvents {
  const refused = new Recent<RefusedRequest>(MAX_REFUSED);
  const warnings = new Recent<Warning>(MAX_WARNINGS);
  return {
    refused: (request) =>
      refused.add({ ...request, message: truncateCodePoints(request.message, MAX_TEXT) }, clock.now()),
    warned: (warning) =>
      warnings.add({ ...warning, message: truncateCodePoints(warning.message, MAX_TEXT) }, clock.now()),
    read: () => ({ refused: refused.newestFirst(), warnings: warnings.newestFirst() }),
  };
}

interface Timed {
  time: string;
  first_time: string;
  count: number;
}

/** The most recent events of one kind. A repeated event increments its count and becomes the newest. */
class Recent<T extends Timed> {
  readonly #events = new Map<
    string,
    { event: Omit<T, keyof Timed>; firstMs: number; lastMs: number; count: number }
  >();

  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  add(event: Omit<T, keyof Timed>, nowMs: number): void {
    const key = JSON.stringify(event);
    const same = this.#events.get(key);
    // Delete and insert: a Map keeps insertion order.
    this.#events.delete(key);
    this.#events.set(key, {
      event,
      firstMs: same?.firstMs ?? nowMs,
      lastMs: nowMs,
      count: (same?.count ?? 0) + 1,
    });
    if (this.#events.size > this.#max) {
      for (const oldest of this.#events.keys()) {
        this.#events.delete(oldest);
        break;
      }
    }
  }

  newestFirst(): T[] {
    return [...this.#events.values()].reverse().map(({ event, firstMs, lastMs, count }) => {
      const times: Timed = {
        time: new Date(lastMs).toISOString(),
        first_time: new Date(firstMs).toISOString(),
        count,
      };
      return { ...times, ...event } as T;
    });
  }
}

/** Returns a logger that also records warnings and errors as events, without their context. */
export function watchWarnings(logger: Logger, events: Pick<RecentEvents, "warned">, name = "obspan"): Logger {
  const recorded = (level: "warning" | "error" | "critical"): Logger["warning"] => {
    return (message, context) => {
      events.warned({ level: level.toUpperCase(), logger: name, message });
      logger[level](message, context);
    };
  };
  return {
    debug: (message, context) => logger.debug(message, context),
    info: (message, context) => logger.info(message, context),
    warning: recorded("warning"),
    error: recorded("error"),
    critical: recorded("critical"),
    child: (child) => watchWarnings(logger.child(child), events, child),
    get fileErrors() {
      return logger.fileErrors;
    },
    flush: () => logger.flush(),
    close: () => logger.close(),
  };
}
