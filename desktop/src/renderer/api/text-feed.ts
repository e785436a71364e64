import type { PartialCompletionEvent } from "@obspan/collector-core/api-schema";
import type { TraceKey } from "./collector-api.js";
import { encodeComponent } from "./url-component.js";

/** Receives the text of a running span, which replaces its previous text. */
export type TextListener = (event: PartialCompletionEvent) => void;

/** Opens the feed of a trace's texts. @returns a function that closes it. */
export type OpenTextFeed = (key: TraceKey, listener: TextListener) => () => void;

/** Time between attempts to reach a collector that answered with an error: it restarts, or requires a key. */
const RETRY_MS = 5000;

/**
 * Reads the texts of one trace's running spans. Each tab has a connection of its own while it is visible: only the tab that
 * shows the trace needs its texts. The collector sends the latest texts to every new connection.
 */
export const openTextFeed: OpenTextFeed = ({ traceId, tenant }, listener) => {
  const tenantQuery = tenant === undefined ? "" : `&tenant=${encodeComponent(tenant)}`;
  const url = `/v1/live?trace_id=${encodeComponent(traceId)}${tenantQuery}`;
  let source: EventSource | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;

  function connect(): void {
    const opened = new EventSource(url);
    source = opened;
    opened.addEventListener("partial", ({ data }: MessageEvent<string>) =>
      listener(JSON.parse(data) as PartialCompletionEvent),
    );
    // The browser reconnects by itself, unless the answer is not an event stream.
    opened.onerror = () => {
      if (opened.readyState === EventSource.CLOSED) retry = setTimeout(connect, RETRY_MS);
    };
  }

  function disconnect(): void {
    clearTimeout(retry);
    source?.close();
    source = undefined;
  }

  function onVisibility(): void {
    disconnect();
    if (document.visibilityState === "visible") connect();
  }

  onVisibility();
  document.addEventListener("visibilitychange", onVisibility);
  return () => {
    document.removeEventListener("visibilitychange", onVisibility);
    disconnect();
  };
};
