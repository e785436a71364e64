/** Marks replaced methods, also for other copies of this package in the same process. */
const REPLACED = Symbol.for("obspan.model-client.replaced");

/** A method of a client. */
export type ClientMethod = (this: unknown, ...args: unknown[]) => unknown;

/**
 * Replaces a method on an object, and leaves its class unchanged. Does nothing if the method is missing or was replaced
 * before.
 *
 * @returns true if the method is replaced, now or before.
 */
export function replaceMethod(
  target: unknown,
  name: string,
  replace: (original: ClientMethod) => ClientMethod,
): boolean {
  if ((typeof target !== "object" && typeof target !== "function") || target === null) return false;
  const original: unknown = Reflect.get(target, name);
  if (typeof original !== "function") return false;
  if (REPLACED in original) return true;
  const replacement = Object.defineProperties(replace(original as ClientMethod), {
    name: { value: name },
    length: { value: original.length },
    [REPLACED]: { value: true },
  });
  Object.defineProperty(target, name, {
    value: replacement,
    configurable: true,
    writable: true,
    enumerable: false,
  });
  return true;
}

/** Runs a step that must not disturb the app. Returns undefined if it throws. */
export function ignoringErrors<T>(step: () => T): T | undefined {
  try {
    return step();
  } catch {
    return undefined;
  }
}
