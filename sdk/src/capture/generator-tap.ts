import { replaceMembers, type StepRunner } from "./async-iterator-tap.js";
import { endOnce, showChunk, type StreamEnd, type StreamObserver } from "./stream-observer.js";

/** Shows what a generator yields to an observer, and keeps the object. Each step runs through `run`. */
export function tapGenerator<Chunk>(
  generator: Generator<Chunk>,
  observer: StreamObserver<Chunk>,
  run: StepRunner,
): Generator<Chunk> {
  const end = endOnce(observer);
  const next = generator.next.bind(generator);
  const give = generator.return.bind(generator);
  const raise = generator.throw.bind(generator);

  function settle(step: () => IteratorResult<Chunk>, whenDone: StreamEnd["type"] & ("finished" | "aborted")) {
    try {
      const result = run(step);
      if (result.done === true) end({ type: whenDone });
      else showChunk(observer, result.value);
      return result;
    } catch (error) {
      end({ type: "failed", error });
      throw error;
    }
  }

  return replaceMembers(generator, {
    next: (...args: [] | [unknown]) => settle(() => next(...args), "finished"),
    return: (value: unknown) => settle(() => give(value), "aborted"),
    throw: (error: unknown) => settle(() => raise(error), "finished"),
  });
}
