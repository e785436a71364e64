import type { Clock } from "../../../runtime/clock.js";
import type { TraceIndex } from "./trace-index.js";

/** How often the loop is looked at, and for how long at most it is used then: a twenty-fifth of the time. */
const INTERVAL_MS = 50;
const SLICE_MS = 2;
/** A loop that is at work for more of the time is let be: while somebody asks, and when nobody has for a while. */
const BUSY = { whileAsked: 0.5, unasked: 0.05 } as const;
const WHILE_MS = 60_000;

/** What {@link IdleCatchUp} needs. */
export interface IdleCatchUpOptions {
  readonly index: Pick<TraceIndex, "catchUp">;
  readonly clock: Pick<Clock, "monotonic">;
  /** For which part of the time, from 0 to 1, the event loop was at work since this was last asked. */
  readonly loopUtilization: () => number;
}

/**
 * Lets the index find out beforehand what it will be asked about new traces, while the loop has little else to do: some
 * thousand traces a second, so that the first question after a burst does not have to. Under full load it does nothing: what
 * is found out of traces that are evicted a second later is lost.
 */
export class IdleCatchUp {
  #timer: NodeJS.Timeout | undefined;
  #askedAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: IdleCatchUpOptions) {}

  start(): void {
    this.#timer ??= setInterval(() => this.#look(), INTERVAL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Notes that somebody asks. */
  asked(): void {
    this.#askedAtMs = this.options.clock.monotonic();
  }

  #look(): void {
    const { index, clock, loopUtilization } = this.options;
    const nowMs = clock.monotonic();
    const busy = nowMs - this.#askedAtMs < WHILE_MS ? BUSY.whileAsked : BUSY.unasked;
    if (loopUtilization() <= busy) index.catchUp(nowMs + SLICE_MS);
  }
}
