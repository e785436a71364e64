import { describe, expect, it } from "vitest";
import { tapAsyncIterator } from "../../src/streams/async-iterator-tap.js";
import type { StreamEnd } from "../../src/streams/stream-observer.js";

describe("tapAsyncIterator()", () => {
  async function* chunks() {
    yield 1;
    yield 2;
    yield 3;
  }

  it("hides the chunks that the observer rejects, and tells it once of the end", async () => {
    const ends: StreamEnd[] = [];
    const tapped = tapAsyncIterator(chunks(), {
      onChunk: (chunk) => chunk !== 2,
      onEnd: (end) => ends.push(end),
    });
    const read: number[] = [];
    for await (const chunk of tapped) read.push(chunk);
    expect(read).toEqual([1, 3]);
    expect(await tapped.return?.()).toEqual({ done: true, value: undefined });
    expect(ends).toEqual([{ type: "finished" }]);
  });

  it("ignores an observer that throws", async () => {
    const tapped = tapAsyncIterator(chunks(), {
      onChunk() {
        throw new Error("watching");
      },
      onEnd() {
        throw new Error("watching");
      },
    });
    const read: number[] = [];
    for await (const chunk of tapped) read.push(chunk);
    expect(read).toEqual([1, 2, 3]);
  });
});
