/**
 * A proxy of an object that cannot be changed. The target of the `Proxy` is an empty object: if it were the frozen object, other
 * values than its own would throw in the app.
 */
export function proxyWith<T extends object>(target: T, members: Record<PropertyKey, unknown>): T {
  const empty = Object.create(Object.getPrototypeOf(target) as object | null) as T;
  const proxy = new Proxy(empty, {
    get(_, key) {
      if (Object.hasOwn(members, key)) return members[key];
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function" || key === "constructor") return value;
      return (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(value, target, args);
        // An iterator returns itself when it is asked for one.
        return result === target ? proxy : result;
      };
    },
    has: (_, key) => Reflect.has(target, key),
    set: (_, key, value) => Reflect.set(target, key, value),
    ownKeys: () => Reflect.ownKeys(target),
    getOwnPropertyDescriptor(_, key) {
      const descriptor = Reflect.getOwnPropertyDescriptor(target, key);
      return descriptor && { ...descriptor, configurable: true };
    },
  });
  return proxy;
}
