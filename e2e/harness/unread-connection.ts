import { connect, type Socket } from "node:net";
import { writeAll } from "./raw-requests.js";

/** Opens a connection and writes, and never reads. The caller destroys it. */
export function openUnread(port: number, pieces: readonly Uint8Array[]): Socket {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => undefined);
  socket.pause();
  void writeAll(socket, pieces);
  return socket;
}
