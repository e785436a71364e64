/** A value that is mostly there at once. To wait for it all the same would cost a promise and a turn each time. */
export type MaybePromise<T> = T | Promise<T>;

/** Goes on with a value: at once where it is there, else when it comes. */
export function whenResolved<T, R>(
  value: MaybePromise<T>,
  goOn: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}
