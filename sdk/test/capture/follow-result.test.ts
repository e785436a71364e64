import { Readable } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import type { Span } from "../../src/wire/index.js";
import { collectGarbage } from "../collect-garbage.js";
import { recordingSdk } from "../fresh-sdk.js";

it("a thenable whose then() returns nothing still resolves and rejects", async () => {
  const { task, takeSpans } = await recordingSdk();
  const error = new Error("later");
  const gives = { then: (resolve: (value: number) => void) => void setTimeout(() => resolve(5)) };
  const fails = {
    then(_: unknown, reject: (error: Error) => void) {
      reject(error);
    },
  };
  expect(await task("gives", () => gives)()).toBe(5);
  await expect(Promise.resolve(task("fails", () => fails)())).rejects.toBe(error);
  expect(
    takeSpans().map(({ name, status, attributes }) => [name, status, attributes?.["output_text"]]),
  ).toEqual([
    ["gives", "OK", "5"],
    ["fails", "ERROR", undefined],
  ]);
});

/** As query builders are: the promise of a result that has private data. */
class Query {
  #value = 6;
  then(resolve: (value: number) => void) {
    resolve(this.#value);
  }
  get value() {
    return this.#value;
  }
}

it.each([
  [
    "a frozen iterable",
    () =>
      Object.freeze({
        async *[Symbol.asyncIterator]() {
          yield 1;
          yield 2;
        },
      }),
    "1,2",
  ],
  [
    "a frozen iterator",
    () => {
      let value = 0;
      const next = async () => ({ done: value > 1, value: ++value });
      return Object.freeze({
        next,
        [Symbol.asyncIterator]() {
          return this;
        },
      });
    },
    "1,2",
  ],
  ["a frozen thenable", () => Object.freeze({ then: (resolve: (value: number) => void) => resolve(5) }), "5"],
  ["a frozen thenable with private data", () => Object.freeze(new Query()), "6"],
])("%s can be read as before, and keeps its members", async (name, create, expected) => {
  const { task, takeSpans } = await recordingSdk();
  const result = task(name, create)() as object;
  const plain = create();
  expect(Object.keys(result)).toEqual(Object.keys(plain));
  expect(result).toBeInstanceOf(plain.constructor);
  for (const key of Reflect.ownKeys(plain)) {
    expect(typeof Reflect.get(result, key)).toBe(typeof Reflect.get(plain, key));
    expect(Reflect.has(result, key)).toBe(true);
    expect(Reflect.set(result, key, 1)).toBe(false);
  }
  const values: unknown[] = [];
  if (Symbol.asyncIterator in result)
    for await (const value of result as AsyncIterable<number>) values.push(value);
  else values.push(await Promise.resolve(result));
  expect(values.join()).toBe(expected);
  expect(takeSpans()).toHaveLength(1);
});

describe("generators", () => {
  it("an async generator keeps its values, next() arguments and return value, and the span ends with it", async () => {
    const { llm, currentSpan, takeSpans } = await recordingSdk();
    const seen: unknown[] = [];
    const talk = llm(async function* (prompt: string): AsyncGenerator<string, number, string> {
      seen.push(currentSpan().spanId);
      seen.push(yield `${prompt} 1`);
      await Promise.resolve();
      seen.push(currentSpan().spanId, yield " 2");
      return 42;
    });
    const stream = talk("Hi");
    expect(Object.prototype.toString.call(stream)).toBe("[object AsyncGenerator]");
    expect(takeSpans()).toEqual([]);
    expect(await stream.next("ignored")).toEqual({ done: false, value: "Hi 1" });
    expect(currentSpan().spanId).toBe("");
    expect(await stream.next("a")).toEqual({ done: false, value: " 2" });
    expect(await stream.next("b")).toEqual({ done: true, value: 42 });
    expect(await stream.next("c")).toEqual({ done: true, value: undefined });
    const [span, ...others] = takeSpans();
    expect(others).toEqual([]);
    expect(seen).toEqual([span?.span_id, "a", span?.span_id, "b"]);
    expect(span).toMatchObject({
      status: "OK",
      attributes: { stream: true, completion_text: "Hi 1 2", ttft_ms: expect.any(Number) },
    });
  });

  it("a generator that is garbage-collected before its end ends its span as aborted, with the values so far", async () => {
    const { llm, task, takeSpans } = await recordingSdk();
    const answer = llm(async function* answer() {
      yield "half";
      yield "whole";
    });
    const count = task(function* count() {
      yield 1;
    });
    await answer().next();
    count();
    const spans: Span[] = [];
    await vi.waitFor(
      () => {
        collectGarbage();
        spans.push(...takeSpans());
        expect(spans).toHaveLength(2);
      },
      { timeout: 10_000 },
    );
    expect(spans.map(({ name, attributes }) => [name, attributes?.["aborted"]]).sort()).toEqual([
      ["answer", true],
      ["count", true],
    ]);
    expect(spans.find(({ name }) => name === "answer")?.attributes?.["completion_text"]).toBe("half");
  });

  it("a generator keeps its values, and each step runs inside the span", async () => {
    const { task, tool, takeSpans } = await recordingSdk();
    const inner = tool("inner", () => 1);
    const count = task(function* count(): Generator<number, string, string> {
      inner();
      const given = yield 1;
      inner();
      yield 2;
      return given;
    });
    const numbers = count();
    expect(numbers).toBeInstanceOf(count);
    expect([numbers.next("x"), numbers.next("y"), numbers.next("z")]).toEqual([
      { done: false, value: 1 },
      { done: false, value: 2 },
      { done: true, value: "y" },
    ]);
    const spans = takeSpans();
    expect(spans.map(({ name }) => name)).toEqual(["inner", "inner", "count"]);
    expect(new Set(spans.slice(0, 2).map((span) => span.parent_span_id))).toEqual(
      new Set([spans[2]?.span_id]),
    );
    expect(spans[2]?.attributes).toEqual({ output_text: "1\n2" });
  });

  it("return() ends the span as aborted, and the generator's finally runs", async () => {
    const { llm, task, takeSpans } = await recordingSdk();
    const closed: string[] = [];
    async function* words() {
      try {
        yield "one ";
        yield "two ";
      } finally {
        closed.push("async");
      }
    }
    for await (const word of llm(words)()) {
      expect(word).toBe("one ");
      break;
    }
    const numbers = task(function* () {
      try {
        yield 1;
      } finally {
        closed.push("sync");
      }
    })();
    numbers.next();
    expect(numbers.return(7 as never)).toEqual({ done: true, value: 7 });
    expect(closed).toEqual(["async", "sync"]);
    expect(takeSpans().map(({ status, attributes }) => [status, attributes?.["aborted"]])).toEqual([
      ["OK", true],
      ["OK", true],
    ]);
  });

  it("throw() reaches the generator, which may catch it or not", async () => {
    const { llm, takeSpans } = await recordingSdk();
    const talk = llm(async function* () {
      try {
        yield "a";
      } catch (error) {
        yield `caught ${String(error)}`;
      }
      yield "b";
    });
    const stream = talk();
    await stream.next();
    expect(await stream.throw("oops")).toEqual({ done: false, value: "caught oops" });
    const error = new Error("again");
    await expect(stream.throw(error)).rejects.toBe(error);
    expect(takeSpans()).toEqual([
      expect.objectContaining({
        status: "ERROR",
        attributes: expect.objectContaining({ error_message: "again", completion_text: "acaught oops" }),
      }),
    ]);
  });

  it("an error inside ends the span as failed, and is rethrown as the same object", async () => {
    const { agent, takeSpans } = await recordingSdk();
    const error = new TypeError("broken");
    const stream = agent("support", async function* () {
      yield "x";
      throw error;
    })();
    await stream.next();
    await expect(stream.next()).rejects.toBe(error);
    expect(takeSpans()).toEqual([
      expect.objectContaining({
        status: "ERROR",
        attributes: expect.objectContaining({ error_type: "TypeError", output_text: "x" }),
      }),
    ]);
  });
});

describe("streams that a function returns", () => {
  class ProviderStream implements AsyncIterable<unknown> {
    readonly controller = new AbortController();
    readonly #chunks: readonly unknown[];
    constructor(chunks: readonly unknown[]) {
      this.#chunks = chunks;
    }
    async *[Symbol.asyncIterator]() {
      for (const chunk of this.#chunks) {
        await Promise.resolve();
        yield chunk;
      }
    }
  }

  it("an async iterable stays the same object, and only the first reading belongs to the call", async () => {
    const { llm, takeSpans } = await recordingSdk();
    const made = new ProviderStream([
      { choices: [{ delta: { role: "assistant", content: "" } }] },
      { choices: [{ delta: { content: "Hel" } }] },
      { choices: [{ delta: { content: "lo" }, finish_reason: "stop" }] },
    ]);
    const stream = await llm({ model: "m" }, async () => made)();
    expect(stream).toBe(made);
    expect(stream.controller).toBe(made.controller);
    expect(takeSpans()).toEqual([]);
    const chunks: unknown[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks).toHaveLength(3);
    const [span] = takeSpans();
    expect(span?.attributes).toMatchObject({ stream: true, completion_text: "Hello", model: "m" });
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks).toHaveLength(6);
    expect(takeSpans()).toEqual([]);
  });

  it("a ReadableStream is read and cancelled only when the app reads and cancels it", async () => {
    const { llm, takeSpans } = await recordingSdk();
    const asked: string[] = [];
    let cancelled: unknown;
    const source = () =>
      new ReadableStream<string>(
        {
          pull(controller) {
            asked.push("pull");
            controller.enqueue(`part${asked.length}`);
          },
          cancel(reason) {
            cancelled = reason;
          },
        },
        { highWaterMark: 0 },
      );
    const stream = llm(source)();
    expect(stream).toBeInstanceOf(ReadableStream);
    const reader = stream.getReader();
    expect(asked).toEqual([]);
    expect(await reader.read()).toEqual({ done: false, value: "part1" });
    expect(asked).toEqual(["pull"]);
    await reader.cancel("enough");
    expect(cancelled).toBe("enough");
    expect(takeSpans()).toEqual([
      expect.objectContaining({
        status: "OK",
        attributes: expect.objectContaining({ completion_text: "part1", aborted: true }),
      }),
    ]);
  });

  it("a byte stream stays a byte stream, in a Response and with the reader's own buffer", async () => {
    const { llm, takeSpans } = await recordingSdk();
    const bytes = llm(() => new Blob(["Grüße ", "aus Köln"]).stream());
    expect(await new Response(bytes()).text()).toBe("Grüße aus Köln");
    const reader = bytes().getReader({ mode: "byob" });
    let read = await reader.read(new Uint8Array(4));
    let length = 0;
    while (!read.done) {
      length += read.value.length;
      read = await reader.read(new Uint8Array(4));
    }
    expect(length).toBe(17);
    expect(takeSpans().map(({ attributes }) => attributes?.["completion_text"])).toEqual([
      "Grüße aus Köln",
      "Grüße aus Köln",
    ]);
  });

  it("a stream that fails rejects its reader with the same error", async () => {
    const { llm, takeSpans } = await recordingSdk();
    const error = new Error("cut off");
    const stream = llm(
      () =>
        new ReadableStream<string>({
          pull(controller) {
            controller.error(error);
          },
        }),
    )();
    await expect(stream.getReader().read()).rejects.toBe(error);
    expect(takeSpans()[0]?.status).toBe("ERROR");
  });

  it.each(["data", "read", "for await", "pipe"])(
    "a Node stream that is read by %s stays the same object",
    async (way) => {
      const { task, takeSpans } = await recordingSdk();
      const made = Readable.from(["a", "b", "c"]);
      const stream = task("export", () => made)();
      expect(stream).toBe(made);
      await new Promise((resolve) => setImmediate(resolve));
      expect(takeSpans()).toEqual([]);
      const chunks: unknown[] = [];
      if (way === "data") {
        stream.on("data", (chunk) => chunks.push(chunk));
        await new Promise((resolve) => stream.once("end", resolve));
      } else if (way === "read") {
        await new Promise<void>((resolve) => {
          stream.on("readable", () => {
            for (let chunk: unknown = stream.read(); chunk !== null; chunk = stream.read())
              chunks.push(chunk);
          });
          stream.once("end", resolve);
        });
      } else if (way === "pipe") {
        const { PassThrough } = await import("node:stream");
        for await (const chunk of stream.pipe(new PassThrough({ objectMode: true }))) chunks.push(chunk);
      } else for await (const chunk of stream) chunks.push(chunk);
      expect(chunks).toEqual(["a", "b", "c"]);
      const [span] = takeSpans();
      expect(span).toMatchObject({ status: "OK", attributes: { output_text: "abc" } });
    },
  );

  it("a destroyed Node stream ends the span as failed with an error, and as aborted without one", async () => {
    const { task, takeSpans } = await recordingSdk();
    const broken = task("broken", () => Readable.from(["a", "b"]))();
    broken.on("error", () => undefined);
    broken.destroy(new Error("disk"));
    const left = task("left", () => Readable.from(["a", "b"]))();
    left.destroy();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(
      takeSpans().map(({ name, status, attributes }) => [name, status, attributes?.["aborted"]]),
    ).toEqual([
      ["broken", "ERROR", undefined],
      ["left", "OK", true],
    ]);
  });

  it("arrays, maps and other complete values are not treated as streams", async () => {
    const { task, takeSpans } = await recordingSdk();
    task("array", () => [1, 2])();
    task("map", () => new Map([["a", 1]]))();
    task("record", () => ({ a: 1 }))();
    expect(takeSpans().map(({ attributes }) => attributes?.["output_text"])).toEqual([
      "[1,2]",
      '{"a":1}',
      '{"a":1}',
    ]);
  });

  it("an object literal that is an iterator, an iterable or a thenable ends its span at its own end", async () => {
    const { task, takeSpans } = await recordingSdk();
    let left = 2;
    const next = async () => ({ done: left === 0, value: `${left--}` });
    const iterable = { [Symbol.asyncIterator]: () => ({ next }) };
    const read = task("iterable", () => iterable)();
    const thenable = task("thenable", () => ({
      then: (resolve: (value: string) => void) => resolve("done"),
    }))();
    expect(takeSpans()).toEqual([]);
    for await (const chunk of read) expect(chunk).not.toBe("0");
    expect(await thenable).toBe("done");
    expect(takeSpans().map(({ name, attributes }) => [name, attributes?.["output_text"]])).toEqual([
      ["iterable", "21"],
      ["thenable", "done"],
    ]);
  });
});

it("runs no code of a result: no getter, no Proxy trap, no then() that the app does not call", async () => {
  const { llm, observe, tool, takeSpans } = await recordingSdk();
  const run: string[] = [];
  class Lazy {
    readonly id = 1;
    get text(): string {
      run.push("text");
      return "read";
    }
    get usage(): unknown {
      run.push("usage");
      throw new Error("starts a request");
    }
    get then(): undefined {
      run.push("then");
      return undefined;
    }
    get [Symbol.asyncIterator](): undefined {
      run.push("asyncIterator");
      return undefined;
    }
    get [Symbol.toStringTag](): string {
      run.push("toStringTag");
      return "Lazy";
    }
    toJSON(): unknown {
      run.push("toJSON");
      return {};
    }
  }
  const trap = (name: string) => (): never => {
    run.push(name);
    throw new Error(name);
  };
  const proxy = new Proxy(
    {},
    { get: trap("get"), has: trap("has"), getPrototypeOf: trap("getPrototypeOf"), ownKeys: trap("ownKeys") },
  );
  const query = {
    then(resolve: (value: number) => void): void {
      run.push("query");
      resolve(5);
    },
  };
  for (const result of [new Lazy(), [new Lazy()], { message: new Lazy() }, proxy, [proxy], query]) {
    // An assertion about the result itself would read it.
    const isSame = llm(() => result)() === result;
    const [element] = await tool(async () => await Promise.resolve([result]))();
    expect([isSame, element === result]).toEqual([true, true]);
    observe("block", () => [result]);
    tool((argument: unknown) => argument === result)(result);
  }
  expect(run).toEqual([]);
  expect(await query).toBe(5);
  expect(run).toEqual(["query"]);
  expect(takeSpans()).toHaveLength(24);
});
