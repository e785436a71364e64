import { setMaxListeners } from "node:events";
import type { Socket } from "node:net";
import { RequestAborted } from "../runtime/request-aborted.js";

const signals = new WeakMap<Socket, AbortSignal>();

/**
 * Returns a signal that is aborted with `RequestAborted` when the connection closes. All requests of a connection share
 * one signal.
 */
export function connectionSignal(socket: Socket): AbortSignal {
  const known = signals.get(socket);
  if (known !== undefined) return known;
  const controller = new AbortController();
  const close = (): void => controller.abort(new RequestAborted());
  if (socket.destroyed) close();
  else socket.once("close", close);
  // Each pipelined request adds a listener.
  setMaxListeners(0, controller.signal);
  signals.set(socket, controller.signal);
  return controller.signal;
}
