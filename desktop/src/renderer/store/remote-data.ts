import { asCollectorError, type CollectorError } from "../api/collector-api.js";
import { createThrottle } from "./throttle.js";

/** Time as the stores see it. */
export interface StoreClock {
  /** Runs `task` after `delayMs`. Default: setTimeout. */
  readonly schedule?: ((task: () => void, delayMs: number) => void) | undefined;
  /** In milliseconds. Default: performance.now. */
  readonly now?: (() => number) | undefined;
}

export interface RemoteDataOptions<Data> extends StoreClock {
  /** Asks the collector. The signal is aborted when a newer request takes over. */
  readonly fetch: (signal: AbortSignal) => Promise<Data>;
  /** Takes the answer of the newest request. */
  readonly onData: (data: Data) => void;
  /** Takes the failure of the newest request. What was fetched before stays. */
  readonly onError: (error: CollectorError) => void;
  /** How often changes lead to a request: see {@link createThrottle}. */
  readonly refresh: { readonly intervalMs: number; readonly restFactor: number };
  /** Asked before each refresh; false skips it, for example while the reader has paused. Default: always true. */
  readonly canRefresh?: () => boolean;
}

/** Data that a store fetches from the collector and keeps up to date. */
export interface RemoteData {
  /** Fetches now. An older request is aborted. */
  load(): Promise<void>;
  /** The data has changed: fetches soon, after the request under way. */
  invalidate(): void;
  /** Aborts the request under way. */
  abort(): void;
  isLoading(): boolean;
}

/**
 * The one way in which stores fetch: the newest request wins, changes are followed at a limited rate, and failures
 * become a {@link CollectorError}. It holds no data: that is the store's.
 */
export function createRemoteData<Data>(options: RemoteDataOptions<Data>): RemoteData {
  const { fetch, onData, onError, refresh, canRefresh = () => true } = options;
  const { schedule = scheduleTimeout, now = () => performance.now() } = options;
  let request: AbortController | undefined;
  let underWay: Promise<void> = Promise.resolve();

  async function fetchNow(): Promise<void> {
    request?.abort();
    const mine = new AbortController();
    request = mine;
    try {
      const data = await fetch(mine.signal);
      if (!mine.signal.aborted) onData(data);
    } catch (error) {
      if (!mine.signal.aborted) onError(asCollectorError(error));
    } finally {
      if (request === mine) request = undefined;
    }
  }

  const load = (): Promise<void> => (underWay = fetchNow());
  const throttle = createThrottle({
    async run() {
      // The answer under way may take longer than the time to the next change: aborting it would starve the reader.
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
      request?.abort();
      request = undefined;
    },
    isLoading: () => request !== undefined,
  };
}

/** Data that is kept up to date while somebody looks at it. */
export interface WatchedData {
  /** Somebody looks: fetches now. The returned function ends it. */
  watch(): () => void;
  isWatched(): boolean;
  /** Like {@link RemoteData.invalidate}, while somebody looks. */
  invalidate(): void;
}

/** Refreshes data only while it is on the screen, and aborts the request when nobody looks any more. */
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
  };
}

function scheduleTimeout(task: () => void, delayMs: number): void {
  setTimeout(task, delayMs);
}
