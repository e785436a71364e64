import { lateCode, type LateCode } from "../late-code.js";
import { createEndNotifier, notifyChunk, type StreamObserver } from "./stream-observer.js";

/** Runs a step of an iterator, for example inside a span. */
export type StepRunner = <T>(step: () => T) => T;

const runDirectly: StepRunner = (step) => step();

/**
 * Returns an iterator that passes another one through and lets an observer see it. Values, return values, errors,
 * `return()` and `throw()` pass unchanged. Nothing is read ahead.
 *
 * @param run - runs each step of the source. Default: calls it.
 */
export function tapAsyncIterator<Chunk, Return = unknown, Next = unknown>(
  source: AsyncIterator<Chunk, Return, Next>,
  observer: StreamObserver<Chunk>,
  run: StepRunner = runDirectly,
): AsyncIterableIterator<Chunk, Return, Next> {
  const end = createEndNotifier(observer);

  async function settle(
    step: () => Promise<IteratorResult<Chunk, Return>>,
    whenDone: "finished" | "aborted",
  ): Promise<IteratorResult<Chunk, Return>> {
    try {
      let result = await run(step);
      // The reader gets the next chunk instead of a hidden one.
      while (!result.done && !notifyChunk(observer, result.value)) result = await run(() => source.next());
      if (result.done) end({ type: whenDone });
      return result;
    } catch (error) {
      end({ type: "failed", error });
      throw error;
    }
  }

  return {
    next: (...args) => settle(() => source.next(...args), "finished"),
    // A method may also be null.
    async return(value) {
      const close = source.return?.bind(source);
      try {
        return close
          ? await settle(() => close(value), "aborted")
          : { done: true, value: (await value) as Return };
      } finally {
        // Its reader has left, whatever the source answers.
        end({ type: "aborted" });
      }
    },
    async throw(error: unknown) {
      const fail = source.throw?.bind(source);
      if (fail) return settle(() => fail(error), "finished");
      // Closes the source and throws, as `yield*` does with a source without `throw`.
      await this.return?.();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/**
 * Lets an observer see the iterations of an async iterable. Returns the same object, or a proxy if the object cannot be
 * changed.
 *
 * @param createObserver - called for each iteration; returns undefined for an iteration that is not observed.
 */
export function tapAsyncIterable<Chunk, Iterable extends AsyncIterable<Chunk>>(
  iterable: Iterable,
  createObserver: () => StreamObserver<Chunk> | undefined,
  run?: StepRunner,
): Iterable {
  const original = iterable[Symbol.asyncIterator].bind(iterable);
  const tapped = (): AsyncIterator<Chunk> => {
    const observer = createObserver();
    return observer === undefined ? original() : tapAsyncIterator(original(), observer, run);
  };
  return overrideMembers(iterable, { [Symbol.asyncIterator]: tapped });
}

/**
 * Overrides members of an object. Returns the object, or a proxy with the members if the object cannot be changed.
 *
 * @throws TypeError if the code for that is not loaded yet.
 */
export function overrideMembers<T extends object>(target: T, members: Record<PropertyKey, unknown>): T {
  try {
    for (const key of Reflect.ownKeys(members)) {
      Object.defineProperty(target, key, {
        value: members[key],
        configurable: true,
        writable: true,
      });
    }
    return target;
  } catch {
    // Throws in the first milliseconds, before this code is loaded: the span ends without it.
    return (lateCode() as LateCode).proxyWith(target, members);
  }
}
