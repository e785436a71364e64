import type { Socket } from "node:net";

/** How long a client has to close its half after the server has closed its own. */
const LINGER_MS = 2000;

/**
 * Ends a connection whose client does not: when the server has said its last word, nothing more can come of the connection,
 * and it would hold one of the places until the time limit for stalled ones. What still comes meanwhile is read, since
 * a reset would take the last answer with it.
 */
export function endHalfOpen(socket: Socket, lingerMs = LINGER_MS): void {
  socket.once("finish", () => {
    if (socket.destroyed) return;
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once("close", () => clearTimeout(timer));
  });
}
