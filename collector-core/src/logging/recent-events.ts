import type { Events, RefusedRequest, Warning } from "../api-schema/events.js";
import type { Clock } from "../runtime/clock.js";
import type { Logger } from "./logger.js";
import { truncateCodePoints } from "../span/kept-text.js";

/** What happened lately that somebody should know of (contract 3, `GET /v1/events`). */
export interface RecentEvents {
  refused(request: Omit<RefusedRequest, "time" | "first_time" | "count">): void;
  warned(warning: Omit<Warning, "time" | "first_time" | "count">): void;
  read(): Events;
}

const MAX_REFUSED = 100;
const MAX_WARNINGS = 200;
/** Characters kept of what comes from outside. */
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

/** The newest of their kind. What is the same as one that is there counts as that one, and is new again. */
class Recent<T extends Timed> {
  readonly #events = new Map<
    string,
    { event: Omit<T, keyof Timed>; firstMs: number; lastMs: number; count: number }
  >();

  constructor(private readonly max: number) {}

  add(event: Omit<T, keyof Timed>, nowMs: number): void {
    const key = JSON.stringify(event);
    const same = this.#events.get(key);
    // Taken out and put back: a Map is in the order in which its keys came.
    this.#events.delete(key);
    this.#events.set(key, {
      event,
      firstMs: same?.firstMs ?? nowMs,
      lastMs: nowMs,
      count: (same?.count ?? 0) + 1,
    });
    if (this.#events.size > this.max) {
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

/** A logger that also tells of its warnings, without their context. */
export function watchWarnings(logger: Logger, events: Pick<RecentEvents, "warned">, name = "obspan"): Logger {
  const also = (level: "warning" | "error" | "critical"): Logger["warning"] => {
    return (message, context) => {
      events.warned({ level: level.toUpperCase(), logger: name, message });
      logger[level](message, context);
    };
  };
  return {
    debug: (message, context) => logger.debug(message, context),
    info: (message, context) => logger.info(message, context),
    warning: also("warning"),
    error: also("error"),
    critical: also("critical"),
    child: (child) => watchWarnings(logger.child(child), events, child),
    get fileErrors() {
      return logger.fileErrors;
    },
    flush: () => logger.flush(),
    close: () => logger.close(),
  };
}
