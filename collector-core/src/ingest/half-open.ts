import type { Socket } from "node:net";

/** Time that a client has to close its side after the server has closed its own. */
const LINGER_MS = 2000;

/** Connections that the server has closed and the client has not. */
export interface HalfOpenConnections {
  /** Ends the connection if its client has not closed it within 2 seconds of the server. */
  watch(socket: Socket): void;
  /** Ends all half-open connections now. */
  destroyAll(): void;
}

/**
 * Half-open connections hold a place until the time limit for stalled ones. The server keeps reading them for a while,
 * because a reset could take the last answer with it.
 */
export function createHalfOpenConnections(lingerMs = LINGER_MS): HalfOpenConnections {
  const halfOpen = new Set<Socket>();

  return {
    watch(socket) {
      socket.once("finish", () => {
        if (socket.destroyed) return;
        halfOpen.add(socket);
        const timer = setTimeout(() => socket.destroy(), lingerMs);
        socket.once("close", () => {
          clearTimeout(timer);
          halfOpen.delete(socket);
        });
      });
    },
    destroyAll() {
      for (const socket of halfOpen) socket.destroy();
    },
  };
}
