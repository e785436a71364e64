import type { LiveEvent, LiveStatus } from "@obspan/collector-core/api-schema";
import { createStore } from "zustand/vanilla";
import type { LiveFeed, OpenLiveFeed } from "../api/live-feed.js";

/** Seconds of the rate shown in the top bar. */
const RATES_KEPT = 44;

export interface ConnectionState {
  readonly link: "connecting" | "live" | "disconnected";
  /** The last status from the collector; it stays while disconnected. */
  readonly status: LiveStatus | undefined;
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
  /** The connection is back, and events may have been missed. */
  readonly onReconnect: () => void;
}

/** Updates the store from the live feed, and forwards events. */
export function connect(store: ConnectionStore, openFeed: OpenLiveFeed, listeners: FeedListeners): LiveFeed {
  /** Events may have been missed: the connection was lost, or released while the tab was hidden. */
  let hasMissed = false;
  return openFeed((message) => {
    switch (message.type) {
      case "connected":
        store.setState({ link: "live", lostAtMs: undefined });
        listeners.onAdmitted();
        if (hasMissed) listeners.onReconnect();
        hasMissed = true;
        return;
      case "disconnected":
        hasMissed = true;
        store.setState(({ lostAtMs }) => ({ link: "disconnected", lostAtMs: lostAtMs ?? Date.now() }));
        return;
      case "unauthorized":
        hasMissed = true;
        store.setState({ link: "connecting", lostAtMs: undefined });
        listeners.onUnauthorized();
        return;
      case "event":
        if (message.event.type === "status") {
          const status = message.event.data;
          store.setState(({ rates }) => ({
            link: "live",
            status,
            rates: [...rates, status.spans_per_second].slice(-RATES_KEPT),
          }));
        }
        listeners.onEvent(message.event);
    }
  });
}
