import { endOnce, showChunk, type StreamObserver } from "./stream-observer.js";

/** Runs a step of an iterator in the context that belongs to it. */
export type StepRunner = <T>(step: () => T) => T;

const runPlainly: StepRunner = (step) => step();

/**
 * An iterator that passes another one through and shows it to an observer. Values, return values, errors, `return()` and
 * `throw()` go through as they are; nothing is read ahead.
 *
 * @param run - runs each step of the source, e.g. inside a span. Default: as it is.
 */
export function tapAsyncIterator<Chunk, Return = unknown, Next = unknown>(
  source: AsyncIterator<Chunk, Return, Next>,
  observer: StreamObserver<Chunk>,
  run: StepRunner = runPlainly,
): AsyncIterableIterator<Chunk, Return, Next> {
  const end = endOnce(observer);

  async function settle(
    step: () => Promise<IteratorResult<Chunk, Return>>,
    whenDone: "finished" | "aborted",
  ): Promise<IteratorResult<Chunk, Return>> {
    try {
      let result = await run(step);
      // A hidden chunk is the source's business: the reader gets the one behind it.
      while (result.done !== true && !showChunk(observer, result.value))
        result = await run(() => source.next());
      if (result.done === true) end({ type: whenDone });
      return result;
    } catch (error) {
      end({ type: "failed", error });
      throw error;
    }
  }

  return {
    next: (...args) => settle(() => source.next(...args), "finished"),
    async return(value) {
      if (source.return === undefined) {
        end({ type: "aborted" });
        return { done: true, value: (await value) as Return };
      }
      const give = source.return.bind(source);
      return settle(() => give(value), "aborted");
    },
    async throw(error: unknown) {
      if (source.throw === undefined) {
        // As a `for await` over a source without `throw` would: close it, then fail.
        await this.return?.();
        throw error;
      }
      const raise = source.throw.bind(source);
      return settle(() => raise(error), "finished");
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/**
 * Shows every iteration of an async iterable to an observer, and keeps the object: its class, its other methods and its
 * identity stay. An object that cannot be changed is left alone behind a proxy.
 *
 * @param makeObserver - called for each iteration. One that observes the first only returns undefined afterwards.
 */
export function tapAsyncIterable<Chunk, Iterable extends AsyncIterable<Chunk>>(
  iterable: Iterable,
  makeObserver: () => StreamObserver<Chunk> | undefined,
  run?: StepRunner,
): Iterable {
  const original = iterable[Symbol.asyncIterator].bind(iterable);
  const tapped = (): AsyncIterator<Chunk> => {
    const observer = makeObserver();
    const iterator = original();
    return observer === undefined ? iterator : tapAsyncIterator(iterator, observer, run);
  };
  return replaceMembers(iterable, { [Symbol.asyncIterator]: tapped });
}

/** Puts members over an object's own; over a proxy of it where it cannot be changed. */
export function replaceMembers<T extends object>(target: T, members: Record<PropertyKey, unknown>): T {
  try {
    for (const key of Reflect.ownKeys(members)) {
      Object.defineProperty(target, key, {
        value: members[key],
        configurable: true,
        writable: true,
        enumerable: false,
      });
    }
    return target;
  } catch {
    return new Proxy(target, {
      get(object, key) {
        if (Object.hasOwn(members, key)) return members[key];
        const value: unknown = Reflect.get(object, key, object);
        return typeof value === "function" ? (value.bind(object) as unknown) : value;
      },
    });
  }
}
