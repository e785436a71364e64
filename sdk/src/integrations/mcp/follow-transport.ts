import { fieldsOf, member } from "../json-fields.js";
import { ignoringErrors, replaceMethod } from "../model-client/replace-method.js";
import { Requests } from "./requests.js";

type Handler = (this: unknown, ...args: unknown[]) => unknown;

/** Transports that are followed. Module state on purpose: a server may connect through several wrapped objects. */
const followed = new WeakSet<object>();

/**
 * Follows the messages of a transport (`send`, `onmessage`, `onclose`: the interface that MCP's libraries share). A request
 * becomes a span when it passes, and ends with its response. Messages are not changed, except that requests which are sent
 * get a trace.
 */
export function followTransport(transport: unknown): void {
  if (fieldsOf(transport) === undefined || followed.has(transport as object)) return;
  followed.add(transport as object);
  const requests = new Requests();
  replaceMethod(
    transport,
    "send",
    (original) =>
      function (this: unknown, message: unknown, ...rest: unknown[]): unknown {
        const { sent, onFailure } = ignoringErrors(() => requests.send(message)) ?? { sent: message };
        const send = (): unknown => Reflect.apply(original, this, [sent, ...rest]);
        return onFailure === undefined ? send() : observeFailure(send, onFailure);
      },
  );
  onHandler(
    transport as object,
    "onmessage",
    (handler) =>
      function (this: unknown, ...args: unknown[]): unknown {
        return requests.receive(args[0], () => Reflect.apply(handler, this, args));
      },
  );
  onHandler(
    transport as object,
    "onclose",
    (handler) =>
      function (this: unknown, ...args: unknown[]): unknown {
        requests.close();
        return Reflect.apply(handler, this, args);
      },
  );
}

/** Runs a function, and reports its error or that of its promise. The caller gets the same errors. */
function observeFailure(run: () => unknown, onFailure: (error: unknown) => void): unknown {
  const fail = (error: unknown): never => {
    ignoringErrors(() => onFailure(error));
    throw error;
  };
  try {
    const returned = run();
    return returned instanceof Promise ? returned.then((value: unknown) => value, fail) : returned;
  } catch (error) {
    return fail(error);
  }
}

/**
 * Wraps each handler that is assigned to a property of a transport. Transports keep the handler in a field, or pass it on
 * with a setter of their class.
 */
function onHandler(transport: object, name: string, wrap: (handler: Handler) => Handler): void {
  const wrappers = new WeakMap<object, Handler>();
  const wrapped = new WeakSet<object>();
  const wrapOf = (handler: unknown): unknown => {
    // A library may read the handler, and assign it again.
    if (typeof handler !== "function" || wrapped.has(handler)) return handler;
    const known = wrappers.get(handler);
    if (known !== undefined) return known;
    const wrapper = wrap(handler as Handler);
    wrappers.set(handler, wrapper);
    wrapped.add(wrapper);
    return wrapper;
  };
  const inherited = setterOf(transport, name);
  let current = inherited === undefined ? wrapOf(member(transport, name)) : undefined;
  Object.defineProperty(transport, name, {
    configurable: true,
    enumerable: true,
    get: () => current,
    set: (handler: unknown) => {
      current = wrapOf(handler);
      inherited?.(current);
    },
  });
}

/** The setter that a class defines for a property, if any. */
function setterOf(object: object, name: string): ((value: unknown) => void) | undefined {
  for (let at: unknown = object; at !== null; at = Object.getPrototypeOf(at)) {
    const descriptor = Object.getOwnPropertyDescriptor(at, name);
    if (descriptor !== undefined) return descriptor.set?.bind(object);
  }
  return undefined;
}
