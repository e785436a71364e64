import { setMaxListeners } from "node:events";
import type { Socket } from "node:net";
import { RequestAborted } from "../runtime/request-aborted.js";

const signals = new WeakMap<Socket, AbortSignal>();

/**
 * A signal that is aborted, with `RequestAborted`, when a connection closes: nobody can be answered any more. A connection
 * has one signal, however many requests it carries.
 */
export function connectionSignal(socket: Socket): AbortSignal {
  const known = signals.get(socket);
  if (known !== undefined) return known;
  const controller = new AbortController();
  const close = (): void => controller.abort(new RequestAborted());
  if (socket.destroyed) close();
  else socket.once("close", close);
  // A connection may carry several requests ahead, each of which listens.
  setMaxListeners(0, controller.signal);
  signals.set(socket, controller.signal);
  return controller.signal;
}
