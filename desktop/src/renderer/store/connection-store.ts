import type { LiveEvent, LiveStatus } from "@obspan/collector-core/api-schema";
import { createStore } from "zustand/vanilla";
import type { LiveFeed, OpenLiveFeed } from "../api/live-feed.js";

/** Seconds of the rate shown in the top bar. */
const RATES_KEPT = 44;

export interface ConnectionState {
  readonly link: "connecting" | "live" | "disconnected";
  /** The last status from the collector; it stays while disconnected. */
  readonly status: LiveStatus | undefined;
  /** When the collector started, in epoch milliseconds of this browser. */
  readonly startedAtMs: number | undefined;
  /** Whether the collector has started again since the page was opened. */
  readonly hasRestarted: boolean;
  /** Spans per second, one value per second, oldest first. */
  readonly rates: readonly number[];
  /** When the connection was lost, in epoch milliseconds. */
  readonly lostAtMs: number | undefined;
}

/** The connection to the collector, and its status. */
export function createConnectionStore() {
  return createStore<ConnectionState>()(() => ({
    link: "connecting",
    status: undefined,
    startedAtMs: undefined,
    hasRestarted: false,
    rates: [],
    lostAtMs: undefined,
  }));
}
export type ConnectionStore = ReturnType<typeof createConnectionStore>;

export interface FeedListeners {
  readonly onEvent: (event: LiveEvent) => void;
  /** The collector granted access. */
  readonly onAdmitted: () => void;
  /** The collector requires a key. */
  readonly onUnauthorized: () => void;
  /**
   * Events are told from now on. What was asked for before may lack the changes until now, of which there was none in the
   * last `unchangedMs`.
   */
  readonly onConnected: (unchangedMs: number) => void;
}

/** Updates the store from the live feed, and forwards events. */
export function connect(store: ConnectionStore, openFeed: OpenLiveFeed, listeners: FeedListeners): LiveFeed {
  let isFirst = true;
  return openFeed((message) => {
    switch (message.type) {
      case "connected":
        store.setState({ link: "live", lostAtMs: undefined });
        listeners.onAdmitted();
        // While it was away, more than traces may have changed: the configuration, or the time that a filter is about.
        listeners.onConnected(isFirst ? message.unchangedMs : 0);
        isFirst = false;
        return;
      case "disconnected":
        store.setState(({ lostAtMs }) => ({ link: "disconnected", lostAtMs: lostAtMs ?? Date.now() }));
        return;
      case "unauthorized":
        store.setState({ link: "connecting", lostAtMs: undefined });
        listeners.onUnauthorized();
        return;
      case "event":
        if (message.event.type === "status") {
          const status = message.event.data;
          const before = store.getState();
          const isSame = before.status?.started_at === status.started_at;
          const isOther = before.status !== undefined && !isSame;
          store.setState(({ rates }) => ({
            link: "live",
            status,
            // The time of the collector is not that of this browser.
            startedAtMs: isSame ? before.startedAtMs : Date.now() - status.uptime_seconds * 1000,
            hasRestarted: before.hasRestarted || isOther,
            rates: [...rates, status.spans_per_second].slice(-RATES_KEPT),
          }));
        }
        listeners.onEvent(message.event);
    }
  });
}
