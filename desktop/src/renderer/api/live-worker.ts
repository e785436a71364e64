/** The shared worker behind `openLiveFeed`: one connection, handed on to every tab that shows the app. */
import { openEventSource, type FeedMessage } from "./live-feed.js";

interface SharedWorkerScope {
  onconnect: ((event: MessageEvent) => void) | null;
}

const ports = new Set<MessagePort>();
let close: (() => void) | undefined;
/** Told to a tab that comes later. */
let lastState: FeedMessage = { type: "disconnected" };

function broadcast(message: FeedMessage): void {
  if (message.type !== "event") lastState = message;
  for (const port of ports) port.postMessage(message);
}

(globalThis as unknown as SharedWorkerScope).onconnect = ({ ports: [port] }) => {
  if (port === undefined) return;
  ports.add(port);
  port.onmessage = ({ data }) => {
    if (data !== "close") return;
    ports.delete(port);
    if (ports.size > 0) return;
    close?.();
    close = undefined;
  };
  port.start();
  if (close === undefined) close = openEventSource(broadcast);
  else port.postMessage(lastState);
};
