import type { LiveEvent } from "@obspan/collector-core/contract";

/** Every kind of event. Written out, so that the worker does not load the schemas; the type holds it complete. */
const EVENT_NAMES = Object.keys({ trace: 0, status: 0, reset: 0 } satisfies Record<
  LiveEvent["type"],
  0
>) as LiveEvent["type"][];

/** What the feed tells its listener. */
export type FeedMessage =
  { type: "connected" } | { type: "disconnected" } | { type: "event"; event: LiveEvent };

/** Opens the feed and calls `listener` with what comes. @returns closes it. */
export type OpenLiveFeed = (listener: (message: FeedMessage) => void) => () => void;

/**
 * One connection to `/v1/live` for all tabs of a browser, held by a shared worker: HTTP/1.1 allows six to a host, and
 * each tab would take one for good. It is let go of while a tab is hidden. Where there are no shared workers, the tab
 * has its own connection.
 */
export const openLiveFeed: OpenLiveFeed = (listener) => {
  let close: (() => void) | undefined;
  const open = (): void => {
    close ??= typeof SharedWorker === "undefined" ? openEventSource(listener) : openShared(listener);
  };
  const onVisibility = (): void => {
    if (document.visibilityState === "visible") open();
    else {
      close?.();
      close = undefined;
    }
  };
  onVisibility();
  document.addEventListener("visibilitychange", onVisibility);
  return () => {
    document.removeEventListener("visibilitychange", onVisibility);
    close?.();
  };
};

function openShared(listener: (message: FeedMessage) => void): () => void {
  const { port } = new SharedWorker(new URL("./live-worker.ts", import.meta.url), {
    type: "module",
    name: "obspan-live",
  });
  port.onmessage = ({ data }: MessageEvent<FeedMessage>) => listener(data);
  port.start();
  return () => {
    port.postMessage("close");
    port.close();
  };
}

/** Reads `/v1/live` in this context. The browser reconnects by itself, with the id of the last event. */
export function openEventSource(listener: (message: FeedMessage) => void): () => void {
  let source: EventSource | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let lastEventId = "";

  function connect(): void {
    const resume = lastEventId === "" ? "" : `?last_event_id=${encodeURIComponent(lastEventId)}`;
    const opened = new EventSource(`/v1/live${resume}`);
    source = opened;
    opened.onopen = () => listener({ type: "connected" });
    opened.onerror = () => {
      listener({ type: "disconnected" });
      // After an answer that is no event stream a browser gives up for good: that is what a restart looks like.
      if (opened.readyState === EventSource.CLOSED) retry = setTimeout(connect, 1000);
    };
    for (const type of EVENT_NAMES) {
      opened.addEventListener(type, (message: MessageEvent<string>) => {
        lastEventId = message.lastEventId;
        listener({ type: "event", event: { type, data: JSON.parse(message.data) as never } });
      });
    }
  }

  connect();
  return () => {
    clearTimeout(retry);
    source?.close();
  };
}
