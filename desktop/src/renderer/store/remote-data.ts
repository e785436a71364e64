import { asCollectorError, type CollectorError } from "../api/collector-api.js";
import { createThrottle } from "./throttle.js";

/** The clock of a store. */
export interface StoreClock {
  /** Runs `task` after `delayMs`. Default: setTimeout. */
  readonly schedule?: ((task: () => void, delayMs: number) => void) | undefined;
  /** In milliseconds. Default: performance.now. */
  readonly now?: (() => number) | undefined;
}

export interface RemoteDataOptions<Data> extends StoreClock {
  /** Sends the request. The signal is aborted when a newer request starts. */
  readonly fetch: (signal: AbortSignal) => Promise<Data>;
  /** Called with the answer of the newest request. */
  readonly onData: (data: Data) => void;
  /** Called when the newest request fails. Earlier data stays. */
  readonly onError: (error: CollectorError) => void;
  /** Limits how often changes cause a request: see {@link createThrottle}. */
  readonly refresh: { readonly intervalMs: number; readonly restFactor: number };
  /** Called before each refresh; false skips it, for example while paused. Default: always true. */
  readonly canRefresh?: () => boolean;
}

/** Data that a store fetches from the collector and keeps up to date. */
export interface RemoteData {
  /** Fetches now. An older request is aborted. */
  load(): Promise<void>;
  /** The data has changed: fetches soon, after the current request. */
  invalidate(): void;
  /** Aborts the current request. */
  abort(): void;
  isLoading(): boolean;
  /** Whether the request under way, or the last answered one, was sent within the last `unchangedMs`. */
  isAskedWithin(unchangedMs: number): boolean;
}

/**
 * How all stores fetch: the newest request wins, changes are followed at a limited rate, and failures become a {@link
 * CollectorError}. It holds no data; the store does.
 */
export function createRemoteData<Data>(options: RemoteDataOptions<Data>): RemoteData {
  const { fetch, onData, onError, refresh, canRefresh = () => true } = options;
  const { schedule = scheduleTimeout, now = () => performance.now() } = options;
  let request: AbortController | undefined;
  let underWay: Promise<void> = Promise.resolve();
  /** Of the request under way, or the last answered one. */
  let sentAtMs = Number.NEGATIVE_INFINITY;

  async function fetchNow(): Promise<void> {
    request?.abort();
    const mine = new AbortController();
    request = mine;
    sentAtMs = now();
    try {
      const data = await fetch(mine.signal);
      if (!mine.signal.aborted) onData(data);
    } catch (error) {
      if (mine.signal.aborted) return;
      sentAtMs = Number.NEGATIVE_INFINITY;
      onError(asCollectorError(error));
    } finally {
      if (request === mine) request = undefined;
    }
  }

  const load = (): Promise<void> => (underWay = fetchNow());
  const throttle = createThrottle({
    async run() {
      // Waits for the current answer: aborting it on every change could delay the data forever.
      while (request !== undefined) await underWay;
      if (canRefresh()) await load();
    },
    ...refresh,
    schedule,
    now,
  });

  return {
    load,
    invalidate: () => throttle.request(),
    abort() {
      sentAtMs = Number.NEGATIVE_INFINITY;
      request?.abort();
      request = undefined;
    },
    isLoading: () => request !== undefined,
    isAskedWithin: (unchangedMs) => now() - sentAtMs < unchangedMs,
  };
}

/** Data that is refreshed while it is visible. */
export interface WatchedData {
  /** Starts watching and fetches now. The returned function stops watching. */
  watch(): () => void;
  isWatched(): boolean;
  /** Like {@link RemoteData.invalidate}, but only while watched. */
  invalidate(): void;
  /** The feed is connected: fetches what changed since the last answer was asked for, if anything did. */
  catchUp(unchangedMs: number): void;
}

/** Refreshes data only while it is watched, and aborts the request when the last watcher leaves. */
export function watchData(data: RemoteData): WatchedData {
  let watchers = 0;
  return {
    watch() {
      watchers++;
      void data.load();
      return () => {
        watchers--;
        if (watchers === 0) data.abort();
      };
    },
    isWatched: () => watchers > 0,
    invalidate() {
      if (watchers > 0) data.invalidate();
    },
    catchUp(unchangedMs) {
      if (watchers > 0 && !data.isAskedWithin(unchangedMs)) data.invalidate();
    },
  };
}

/** The default of {@link StoreClock.schedule}. */
export function scheduleTimeout(task: () => void, delayMs: number): void {
  setTimeout(task, delayMs);
}
