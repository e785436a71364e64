/** Usually synchronous; avoids a promise and a microtask. */
export type MaybePromise<T> = T | Promise<T>;

/** Continues with a value: synchronously, or when its promise resolves. */
export function whenResolved<T, R>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
