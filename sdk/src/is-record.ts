import { isProxy } from "./platform/is-proxy.js";

export { isProxy };

/** True for an object that is not an array, and no Proxy. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !isProxy(value) && !Array.isArray(value);
}

/** True for an array that is no Proxy. */
export function isArray(value: unknown): value is readonly unknown[] {
  return !isProxy(value) && Array.isArray(value);
}

/** A property that an object has itself. Undefined for a getter, which is code of the app. */
export function ownValue(object: object, key: PropertyKey): unknown {
  return Object.hasOwn(object, key) ? Object.getOwnPropertyDescriptor(object, key)?.value : undefined;
}

/**
 * A property that an object or one of its classes has. Undefined for a getter or a Proxy: the getters of some clients'
 * results start a request, or read their stream.
 */
export function dataValue(object: object, key: PropertyKey): unknown {
  for (let owner: object | null = object; owner !== null && !isProxy(owner);) {
    if (Object.hasOwn(owner, key)) return ownValue(owner, key);
    owner = Object.getPrototypeOf(owner) as object | null;
  }
  return undefined;
}
