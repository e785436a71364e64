import type { LiveEvent, LiveStatus } from "@obspan/collector-core/api-schema";
import { createStore } from "zustand/vanilla";
import type { LiveFeed, OpenLiveFeed } from "../api/live-feed.js";

/** Seconds of the rate that the top bar draws. */
const RATES_KEPT = 44;

export interface ConnectionState {
  readonly link: "connecting" | "live" | "disconnected";
  /** What the collector last said of itself; it stays while disconnected. */
  readonly status: LiveStatus | undefined;
  /** Spans a second, oldest first, one a second. */
  readonly rates: readonly number[];
  /** When the link was lost, in epoch milliseconds. */
  readonly lostAtMs: number | undefined;
}

/** Whether the collector is there, and what it is doing. */
export function createConnectionStore() {
  return createStore<ConnectionState>()(() => ({
    link: "connecting",
    status: undefined,
    rates: [],
    lostAtMs: undefined,
  }));
}
export type ConnectionStore = ReturnType<typeof createConnectionStore>;

/** Whom {@link connect} tells. */
export interface FeedListeners {
  readonly onEvent: (event: LiveEvent) => void;
  /** The collector lets this browser read. */
  readonly onAdmitted: () => void;
  /** It wants a key first. */
  readonly onUnauthorized: () => void;
  /** The link is back, and something may have been missed. */
  readonly onReconnect: () => void;
}

/** Feeds the store from the live feed, and hands events of traces on. */
export function connect(store: ConnectionStore, openFeed: OpenLiveFeed, listeners: FeedListeners): LiveFeed {
  /** Something may have been missed: the link was lost, or let go of while the tab was hidden. */
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
