/**
 * The shared worker behind `openLiveFeed`: one connection for every tab that shows the app. Its state is state of the
 * module, because the module is the whole program of the worker.
 */
import type { LiveEvent } from "@obspan/collector-core/api-schema";
import { openEventSource, type FeedCommand, type FeedMessage, type LiveFeed } from "./live-feed.js";

interface SharedWorkerScope {
  onconnect: ((event: MessageEvent) => void) | null;
}

const ports = new Set<MessagePort>();
let feed: LiveFeed | undefined;
/** Sent to a tab that connects later. */
let lastState: FeedMessage = { type: "disconnected" };
/** When an event last told a change. A tab that connects later may have asked for its data before. */
let changedAtMs = 0;

function broadcast(message: FeedMessage): void {
  if (message.type !== "event") lastState = message;
  if (message.type === "connected") changedAtMs = performance.now() - message.unchangedMs;
  else if (message.type === "event" && tellsChange(message.event)) changedAtMs = performance.now();
  for (const port of ports) port.postMessage(message);
}

function tellsChange({ type }: LiveEvent): boolean {
  return type !== "status" && type !== "metrics";
}

function currentState(): FeedMessage {
  if (lastState.type !== "connected") return lastState;
  return { type: "connected", unchangedMs: performance.now() - changedAtMs };
}

(globalThis as unknown as SharedWorkerScope).onconnect = ({ ports: [port] }) => {
  if (port === undefined) return;
  ports.add(port);
  port.onmessage = ({ data }: MessageEvent<FeedCommand>) => {
    if (data === "reconnect") {
      feed?.reconnect();
      return;
    }
    ports.delete(port);
    if (ports.size > 0) return;
    feed?.close();
    feed = undefined;
  };
  port.start();
  if (feed === undefined) feed = openEventSource(broadcast);
  else port.postMessage(currentState());
};
