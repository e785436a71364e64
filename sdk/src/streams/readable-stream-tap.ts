import type { StepRunner } from "./async-iterator-tap.js";
import { createEndNotifier, notifyChunk, type StreamObserver } from "./stream-observer.js";

/**
 * Returns a stream that passes a `ReadableStream` through and lets an observer see it. It reads only when it is read,
 * cancels its source when it is cancelled, and fails with the same error. A byte stream stays a byte stream. A locked
 * stream cannot be read, and is returned as it is.
 */
export function tapReadableStream<Chunk>(
  stream: ReadableStream<Chunk>,
  observer: StreamObserver<Chunk>,
  run: StepRunner = (step) => step(),
): ReadableStream<Chunk> {
  const end = createEndNotifier(observer);
  if (stream.locked) {
    end({ type: "finished" });
    return stream;
  }
  const type = isByteStream(stream) ? "bytes" : undefined;
  // Locked with the first reading: the runtime closes the connection of a response that is dropped before, unless it is locked.
  let reader: ReadableStreamDefaultReader<Chunk> | undefined;
  const lock = () => (reader ??= stream.getReader());
  const source = {
    type,
    async pull(controller: { enqueue(chunk: Chunk): void; close(): void; byobRequest?: ByobRequest | null }) {
      try {
        const { done, value } = await run(() => lock().read());
        if (done) {
          end({ type: "finished" });
          controller.close();
          // A reader that waits with its own buffer is resolved only by this call.
          controller.byobRequest?.respond(0);
          return;
        }
        notifyChunk(observer, value);
        controller.enqueue(value);
      } catch (error) {
        end({ type: "failed", error });
        throw error;
      }
    },
    async cancel(reason: unknown) {
      end({ type: "aborted" });
      await lock().cancel(reason);
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
