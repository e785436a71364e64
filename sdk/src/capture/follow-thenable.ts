import { overrideMembers } from "../streams/async-iterator-tap.js";

/**
 * Follows a promise of another class. It may be lazy, such as a query that runs when it is awaited, and may have more methods. It
 * is kept, and is asked for its value when somebody awaits it.
 *
 * @returns the object, or a proxy of an object that cannot be changed.
 */
export function followThenable<T extends PromiseLike<unknown>>(
  promise: T,
  onValue: (value: unknown) => unknown,
  onError: (error: unknown) => never,
): T {
  const then = promise.then.bind(promise) as (
    resolve: (value: unknown) => void,
    reject: (error: unknown) => void,
  ) => unknown;
  let settled: Promise<unknown> | undefined;
  const settle = () => (settled ??= new Promise(then).then(onValue, onError));
  return overrideMembers(promise, {
    then: (resolve?: () => unknown, reject?: () => unknown) => settle().then(resolve, reject),
    catch: (reject?: () => unknown) => settle().catch(reject),
    finally: (done?: () => void) => settle().finally(done),
  });
}
