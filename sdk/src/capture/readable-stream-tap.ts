import type { StepRunner } from "./async-iterator-tap.js";
import { endOnce, showChunk, type StreamObserver } from "./stream-observer.js";

/**
 * A stream of the same kind that passes a `ReadableStream` through and shows it to an observer. It reads only when it is
 * read, cancels when it is cancelled, and fails with the same error; a stream of bytes stays one. A stream that is locked
 * already is returned as it is, for it cannot be read.
 */
export function tapReadableStream<Chunk>(
  stream: ReadableStream<Chunk>,
  observer: StreamObserver<Chunk>,
  run: StepRunner = (step) => step(),
): ReadableStream<Chunk> {
  const end = endOnce(observer);
  if (stream.locked) {
    end({ type: "finished" });
    return stream;
  }
  const type = isByteStream(stream) ? "bytes" : undefined;
  const reader = stream.getReader();
  const source = {
    type,
    async pull(controller: { enqueue(chunk: Chunk): void; close(): void; byobRequest?: ByobRequest | null }) {
      try {
        const { done, value } = await run(() => reader.read());
        if (done) {
          end({ type: "finished" });
          controller.close();
          // A reader that waits with a buffer of its own has to be told that nothing comes.
          controller.byobRequest?.respond(0);
          return;
        }
        showChunk(observer, value);
        controller.enqueue(value);
      } catch (error) {
        end({ type: "failed", error });
        throw error;
      }
    },
    async cancel(reason: unknown) {
      end({ type: "aborted" });
      await reader.cancel(reason);
    },
  };
  return new ReadableStream<Chunk>(source as object, { highWaterMark: 0 });
}

interface ByobRequest {
  respond(bytesWritten: number): void;
}

function isByteStream(stream: ReadableStream): boolean {
  try {
    stream.getReader({ mode: "byob" }).releaseLock();
    return true;
  } catch {
    return false;
  }
}
