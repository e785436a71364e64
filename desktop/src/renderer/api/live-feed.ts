import type { LiveEvent } from "@obspan/collector-core/api-schema";

/** Every kind of event. Written out, so that the worker does not load the schemas; the type holds it complete. */
const EVENT_NAMES = Object.keys({ trace: 0, status: 0, metrics: 0, evaluation: 0, reset: 0 } satisfies Record<
  LiveEvent["type"],
  0
>) as LiveEvent["type"][];

/** What the feed tells its listener. */
export type FeedMessage =
  | { type: "connected" }
  | { type: "disconnected" }
  /** The collector is there and wants a key: this browser has no session, or it has ended. */
  | { type: "unauthorized" }
  | { type: "event"; event: LiveEvent };

/** An open feed. */
export interface LiveFeed {
  /** Connects anew: who may read has changed. Every tab that shares the connection is told what comes of it. */
  reconnect(): void;
  close(): void;
}

/** Opens the feed and calls `listener` with what comes. */
export type OpenLiveFeed = (listener: (message: FeedMessage) => void) => LiveFeed;

/** What a tab tells the shared worker. */
export type FeedCommand = keyof LiveFeed;

/** After this long a restart is looked for again. */
const RETRY_MS = 1000;
/** Signing in elsewhere in this browser, or a collector that wants no key any more, is noticed after this long. */
const UNAUTHORIZED_RETRY_MS = 10_000;

/**
 * One connection to `/v1/live` for all tabs of a browser, held by a shared worker: HTTP/1.1 allows six to a host, and
 * each tab would take one for good. It is let go of while a tab is hidden. Where there are no shared workers, the tab
 * has its own connection.
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
    const resume = lastEventId === "" ? "" : `?last_event_id=${encodeURIComponent(lastEventId)}`;
    const opened = new EventSource(`/v1/live${resume}`);
    source = opened;
    opened.onopen = () => listener({ type: "connected" });
    opened.onerror = () => {
      // After an answer that is no event stream a browser gives up for good: that is what a restart looks like.
      if (opened.readyState === EventSource.CLOSED) void tellWhy();
      else listener({ type: "disconnected" });
    };
    for (const type of EVENT_NAMES) {
      opened.addEventListener(type, (message: MessageEvent<string>) => {
        lastEventId = message.lastEventId;
        listener({ type: "event", event: { type, data: JSON.parse(message.data) as never } });
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
    // Where it is the stream after all, it is not read here.
    await response.body?.cancel();
    return response.status === 401;
  } catch {
    return false;
  }
}
