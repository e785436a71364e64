import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { recordingSdk } from "../fresh-sdk.js";
import { clipText, stringifyValue, toJsonValue } from "../../src/span/json-value.js";

describe("any value that an app passes", () => {
  const circular: Record<string, unknown> = { name: "circular" };
  circular["self"] = circular;
  class Order {
    id = 1;
    #secret = 2;
    get total() {
      return this.#secret;
    }
  }
  const throwing = {
    fine: 1,
    get broken(): never {
      throw new Error("getter");
    },
  };
  const throwingText = {
    toString(): never {
      throw new Error("toString");
    },
  };
  const hostile = new Proxy(
    {},
    {
      ownKeys() {
        throw new Error("proxy");
      },
      get() {
        throw new Error("proxy");
      },
    },
  );
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();

  it.each([
    ["a circular object", circular, { name: "circular", self: "[circular]" }],
    ["a big integer", { big: 2n ** 70n }, { big: "1180591620717411303424" }],
    ["a getter that throws", throwing, { fine: 1, broken: "[unreadable]" }],
    ["a Proxy that throws", hostile, "[unreadable]"],
    ["a revoked Proxy", revoked.proxy, "[unreadable]"],
    ["an instance", new Order(), { id: 1 }],
    ["a function", () => 1, "[function]"],
    ["methods in an object", { run: () => 1, kept: 2 }, { kept: 2 }],
    ["a symbol", { key: Symbol("s") }, { key: "[symbol]" }],
    ["undefined in an object and in an array", { a: undefined, b: [undefined] }, { b: [null] }],
    ["numbers that JSON does not have", [NaN, Infinity, -0], [null, null, -0]],
    ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
    ["an invalid date", new Date(NaN), null],
    ["a URL", new URL("http://example.com/a"), "http://example.com/a"],
    ["a map", new Map([["a", 1]]), { a: 1 }],
    ["a set", new Set([1, "b"]), [1, "b"]],
    [
      "a map whose keys have code",
      new Map<unknown, number>([
        [throwingText, 1],
        [null, 2],
        [7, 3],
      ]),
      { "[object]": 1, null: 2, 7: 3 },
    ],
    ["a text in an object", new String("abc"), "abc"],
    ["bytes", new Uint8Array(5), "[Uint8Array: 5 bytes]"],
    ["a buffer", Buffer.from("abc"), "[Buffer: 3 bytes]"],
    ["a promise", Promise.resolve(1), "[object Promise]"],
    ["a regular expression", /a/g, "[object RegExp]"],
    ["a stream", new PassThrough(), "[object PassThrough]"],
    ["data that is named like a method of streams", { pipe: 1 }, { pipe: 1 }],
    [
      "keys with a meaning in JavaScript",
      JSON.parse('{"__proto__":{"a":1},"constructor":2}'),
      JSON.parse('{"__proto__":{"a":1},"constructor":2}'),
    ],
    [
      "an error with a cause",
      new Error("outer", { cause: new TypeError("inner") }),
      { name: "Error", message: "outer", cause: { name: "TypeError", message: "inner" } },
    ],
    ["an object without a prototype", Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    [
      "a toJSON that returns itself",
      {
        toJSON(): unknown {
          return this;
        },
        a: 1,
      },
      { a: 1 },
    ],
    [
      "a toJSON of the app, which is not called",
      {
        toJSON() {
          throw new Error("no");
        },
        a: 1,
      },
      { a: 1 },
    ],
  ])("%s", (_, value, expected) => {
    expect(toJsonValue(value)).toEqual(expected);
    expect(JSON.stringify(toJsonValue(value))).toBe(JSON.stringify(expected));
  });

  it("the same object twice is not circular", () => {
    const shared = { a: 1 };
    expect(toJsonValue([shared, shared])).toEqual([{ a: 1 }, { a: 1 }]);
  });

  it("a value that is too deep or too large ends early, with a note", () => {
    let deep: unknown = "bottom";
    for (let depth = 0; depth < 10_000; depth++) deep = { deep };
    expect(depthOf(toJsonValue(deep))).toBeLessThanOrEqual(25);
    const wide = Array.from({ length: 1_000_000 }, (_, index) => index);
    expect((toJsonValue(wide) as unknown[]).at(-1)).toMatch(/^\[\d+ more\]$/);
    const set = toJsonValue(new Set(wide)) as unknown[];
    expect(set.at(-1)).toBe(`[${1_000_000 - (set.length - 1)} more]`);
    const map = toJsonValue(new Map(wide.map((index) => [`k${index}`, index]))) as object;
    expect(map).toHaveProperty("…", "[too large]");
    expect(Object.keys(map).length).toBeLessThanOrEqual(20_001);
    const texts = Array.from({ length: 100 }, () => "x".repeat(900_000));
    expect(JSON.stringify(toJsonValue(texts)).length).toBeLessThan(4_000_000);
  });

  it("does not disturb a wrapped call", async () => {
    const { tool, takeSpans } = await recordingSdk();
    const echo = tool("echo", (value: unknown) => value);
    for (const value of [circular, 1n, throwing, hostile, revoked.proxy, new Order(), Symbol("s")])
      expect(echo(value)).toBe(value);
    expect(takeSpans()).toHaveLength(7);
  });

  it("a text of 50 MB is clipped with a note, and is not kept in memory", async () => {
    const { llm, takeSpans } = await recordingSdk();
    const prompt = "word ".repeat(10_000_000);
    llm((text: string) => text)(prompt);
    const [span] = takeSpans();
    const kept = span?.attributes?.["prompt_text"] as string;
    expect(kept.length).toBeLessThan(1_000_100);
    expect(kept).toMatch(/word… \[clipped: 50000000 characters\]$/);
    expect(JSON.stringify(span).length).toBeLessThan(2_500_000);
  });

  it("a text is clipped at a near space, and never inside a character", () => {
    expect(clipText("aaaa secret-token-that-goes-on", 12)).toBe("aaaa… [clipped: 30 characters]");
    expect(clipText("x".repeat(9) + "😀" + "y", 10)).toBe(`${"x".repeat(9)}… [clipped: 12 characters]`);
  });

  it("a string stays the same as text, and any other value becomes JSON", () => {
    expect([
      stringifyValue("a"),
      stringifyValue({ a: 1 }),
      stringifyValue(undefined),
      stringifyValue(1n),
    ]).toEqual(["a", '{"a":1}', undefined, "1"]);
  });
});

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
