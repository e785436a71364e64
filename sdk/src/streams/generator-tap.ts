import { overrideMembers, type StepRunner } from "./async-iterator-tap.js";
import { createEndNotifier, notifyChunk, type StreamEnd, type StreamObserver } from "./stream-observer.js";

/**
 * Lets an observer see what a generator yields. Returns the same object.
 *
 * @param run - runs each step of the generator, for example inside a span.
 */
export function tapGenerator<Chunk>(
  generator: Generator<Chunk>,
  observer: StreamObserver<Chunk>,
  run: StepRunner,
): Generator<Chunk> {
  const end = createEndNotifier(observer);
  const next = generator.next.bind(generator);
  const doReturn = generator.return.bind(generator);
  const doThrow = generator.throw.bind(generator);

  function settle(step: () => IteratorResult<Chunk>, whenDone: StreamEnd["type"] & ("finished" | "aborted")) {
    try {
      const result = run(step);
      if (result.done === true) end({ type: whenDone });
      else notifyChunk(observer, result.value);
      return result;
    } catch (error) {
      end({ type: "failed", error });
      throw error;
    }
  }

  return overrideMembers(generator, {
    next: (...args: [] | [unknown]) => settle(() => next(...args), "finished"),
    return: (value: unknown) => settle(() => doReturn(value), "aborted"),
    throw: (error: unknown) => settle(() => doThrow(error), "finished"),
  });
}
