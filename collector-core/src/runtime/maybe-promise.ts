/** A value that is mostly there at once. To wait for it all the same would cost a promise and a turn each time. */
export type NowOrLater<T> = T | Promise<T>;

/** Goes on with a value: at once where it is there, else when it comes. */
export function whenThere<T, R>(value: NowOrLater<T>, goOn: (value: T) => NowOrLater<R>): NowOrLater<R> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}
