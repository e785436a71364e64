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

  /** What a reader gets of the first three chunks, and how the observer is told of the end. */
  async function readTapped(source: object) {
    const ends: StreamEnd[] = [];
    const tapped = tapAsyncIterator(source as AsyncIterator<number>, {
      onChunk: () => true,
      onEnd: (end) => ends.push(end),
    });
    const read: number[] = [];
    let failure: unknown;
    try {
      for await (const chunk of tapped) if (read.push(chunk) === 3) break;
    } catch (error) {
      failure = error;
    }
    return { read, ends, failure };
  }

  it("reads a source without methods to stop it as a reader does", async () => {
    let next = 0;
    const source = { next: async () => ({ done: false, value: next++ }), return: null, throw: null };
    expect(await readTapped(source)).toEqual({
      read: [0, 1, 2],
      ends: [{ type: "aborted" }],
      failure: undefined,
    });
    const tapped = tapAsyncIterator(source as unknown as AsyncIterator<number>, {
      onChunk: () => true,
      onEnd: () => undefined,
    });
    await expect(tapped.throw?.(new Error("of the app"))).rejects.toThrow("of the app");
  });

  it("tells the observer of the end, however a source says it", async () => {
    const yes = [{ value: 1 }, { done: "yes", value: 2 }];
    expect(await readTapped({ next: async () => yes.shift() })).toMatchObject({
      read: [1],
      ends: [{ type: "finished" }],
    });
    for (const result of [null, undefined]) {
      const { ends, failure } = await readTapped({ next: async () => result });
      expect(failure).toBeInstanceOf(TypeError);
      expect(ends).toMatchObject([{ type: "failed", error: expect.any(TypeError) }]);
    }
    async function* stubborn() {
      try {
        yield* [1, 2, 3];
      } finally {
        yield 4;
      }
    }
    expect(await readTapped(stubborn())).toMatchObject({ read: [1, 2, 3], ends: [{ type: "aborted" }] });
    expect(
      await readTapped({ next: async () => ({ value: 1 }), return: async () => ({ done: false }) }),
    ).toMatchObject({ ends: [{ type: "aborted" }], failure: undefined });
  });
});
