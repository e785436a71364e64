import { ignoringErrors } from "../model-client/replace-method.js";

/**
 * Prepares a resource of a client when the app reads it first. The resource is not read before: its getter logs a warning in
 * some versions.
 */
export function onFirstRead(client: object, name: string, prepare: (resource: unknown) => void): void {
  ignoringErrors(() => {
    const getter = getterOf(client, name);
    if (getter === undefined) return;
    let isPrepared = false;
    Object.defineProperty(client, name, {
      configurable: true,
      enumerable: false,
      get: () => {
        const resource: unknown = getter();
        if (!isPrepared) ignoringErrors(() => prepare(resource));
        isPrepared = true;
        return resource;
      },
    });
  });
}

/** The getter of the client's class. An own getter is that of an earlier call. */
function getterOf(client: object, name: string): (() => unknown) | undefined {
  if (Object.hasOwn(client, name)) return undefined;
  for (let at: unknown = client; typeof at === "object" && at !== null; at = Object.getPrototypeOf(at)) {
    const descriptor = Object.getOwnPropertyDescriptor(at, name);
    if (descriptor !== undefined) return descriptor.get?.bind(client);
  }
  return undefined;
}
