import type { LiveEvent } from "@obspan/collector-core/api-schema";
import { encodeComponent } from "./url-component.js";

/** Every event type. Listed here so that the worker does not load the schemas; the type keeps the list complete. */
const EVENT_NAMES = Object.keys({ trace: 0, status: 0, metrics: 0, evaluation: 0, reset: 0 } satisfies Record<
  LiveEvent["type"],
  0
>) as LiveEvent["type"][];

/** A message from the feed to its listener. */
export type FeedMessage =
  /**
   * Events follow. What was asked for before may lack the changes until now. There was none in the last `unchangedMs`: an
   * answer that was asked for since then lacks nothing.
   */
  | { type: "connected"; unchangedMs: number }
  | { type: "disconnected" }
  /** The collector requires a key: this browser has no session, or its session has ended. */
  | { type: "unauthorized" }
  | { type: "event"; event: LiveEvent };

/** An open feed. */
export interface LiveFeed {
  /** Reconnects, for example after a sign-in. All tabs that share the connection receive the result. */
  reconnect(): void;
  close(): void;
}

/** Opens the feed and calls `listener` with each message. */
export type OpenLiveFeed = (listener: (message: FeedMessage) => void) => LiveFeed;

/** A command from a tab to the shared worker. */
export type FeedCommand = keyof LiveFeed;

/** Time between attempts to reach a collector that restarts. */
const RETRY_MS = 1000;
/**
 * Time between attempts without a session: the user may sign in in another tab, or the collector may stop requiring a
 * key.
 */
const UNAUTHORIZED_RETRY_MS = 10_000;

/**
 * One connection to `/v1/live` for all tabs of a browser, held by a shared worker. HTTP/1.1 allows six connections to a
 * host, and each tab would keep one. A hidden tab releases it. Without shared workers, the tab opens its own
 * connection.
 */
export const openLiveFeed: OpenLiveFeed = (listener) => {
  let feed: LiveFeed | undefined;
  const open = (): void => {
    feed ??= typeof SharedWorker === "undefined" ? openEventSource(listener) : openShared(listener);
  };
  const onVisibility = (): void => {
    if (document.visibilityState === "visible") open();
    else {
      feed?.close();
      feed = undefined;
    }
  };
  onVisibility();
  document.addEventListener("visibilitychange", onVisibility);
  return {
    reconnect: () => feed?.reconnect(),
    close() {
      document.removeEventListener("visibilitychange", onVisibility);
      feed?.close();
    },
  };
};

function openShared(listener: (message: FeedMessage) => void): LiveFeed {
  const { port } = new SharedWorker(new URL("./live-worker.ts", import.meta.url), {
    type: "module",
    name: "obspan-live",
  });
  port.onmessage = ({ data }: MessageEvent<FeedMessage>) => listener(data);
  port.start();
  const tell = (command: FeedCommand): void => port.postMessage(command);
  return {
    reconnect: () => tell("reconnect"),
    close() {
      tell("close");
      port.close();
    },
  };
}

/** Reads `/v1/live` in this context. The browser reconnects by itself, with the id of the last event. */
export function openEventSource(listener: (message: FeedMessage) => void): LiveFeed {
  let source: EventSource | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let asking: AbortController | undefined;
  let lastEventId = "";

  function connect(): void {
    const resume = lastEventId === "" ? "" : `?last_event_id=${encodeComponent(lastEventId)}`;
    const opened = new EventSource(`/v1/live${resume}`);
    source = opened;
    // The first event comes with the connection, and is a status.
    let isFirst = true;
    opened.onopen = () => (isFirst = true);
    opened.onerror = () => {
      // If the answer is not an event stream, the browser stops reconnecting. That happens during a restart.
      if (opened.readyState === EventSource.CLOSED) void tellWhy();
      else listener({ type: "disconnected" });
    };
    for (const type of EVENT_NAMES) {
      opened.addEventListener(type, (message: MessageEvent<string>) => {
        lastEventId = message.lastEventId;
        const event = { type, data: JSON.parse(message.data) as never } as LiveEvent;
        if (isFirst)
          listener({
            type: "connected",
            unchangedMs: event.type === "status" ? (event.data.unchanged_ms ?? 0) : 0,
          });
        isFirst = false;
        listener({ type: "event", event });
      });
    }
  }

  /** An event source does not say which answer it got. */
  async function tellWhy(): Promise<void> {
    const mine = new AbortController();
    asking = mine;
    const isRefused = await isUnauthorized(mine.signal);
    if (mine.signal.aborted) return;
    listener({ type: isRefused ? "unauthorized" : "disconnected" });
    retry = setTimeout(connect, isRefused ? UNAUTHORIZED_RETRY_MS : RETRY_MS);
  }

  function disconnect(): void {
    clearTimeout(retry);
    asking?.abort();
    source?.close();
  }

  connect();
  return {
    reconnect() {
      disconnect();
      connect();
    },
    close: disconnect,
  };
}

async function isUnauthorized(signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch("/v1/live", { signal });
    // If the stream is back, this request does not read it.
    await response.body?.cancel();
    return response.status === 401;
  } catch {
    return false;
  }
}
