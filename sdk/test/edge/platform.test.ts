import { afterEach, describe, expect, it, vi } from "vitest";
import { AsyncLocalStorage } from "../../src/edge/async-local-storage.js";
import * as base64 from "../../src/edge/base64.js";
import { builtinModule } from "../../src/edge/builtin-module.js";
import { readEnvironment } from "../../src/edge/environment.js";
import { FinalizationRegistry } from "../../src/edge/finalization-registry.js";
import { randomHex } from "../../src/edge/random-hex.js";
import { recordSource } from "../../src/edge/record-source.js";
import * as textBytes from "../../src/edge/text-bytes.js";
import { clearTimeout, isPending, setTimeout } from "../../src/edge/timers.js";
import type { RecordedSpan } from "../../src/span/recorded-span.js";

afterEach(() => void vi.unstubAllGlobals());

/** A runtime without the classes of Node. */
function stubBareRuntime(): void {
  vi.stubGlobal("process", undefined);
}

describe("the context of a runtime without AsyncLocalStorage", () => {
  it("holds until a function returns or throws", () => {
    stubBareRuntime();
    const storage = new AsyncLocalStorage<string>();
    const inner = storage.run("outer", () => [
      storage.getStore(),
      storage.run("inner", () => storage.getStore()),
      storage.getStore(),
    ]);
    expect(inner).toEqual(["outer", "inner", "outer"]);
    expect(() =>
      storage.run("throws", () => {
        throw new Error("thrown");
      }),
    ).toThrow("thrown");
    expect(storage.getStore()).toBeUndefined();
  });

  it("ends at the first await, and is never that of another call", async () => {
    stubBareRuntime();
    const storage = new AsyncLocalStorage<string>();
    const ask = async (): Promise<unknown[]> => {
      const before = storage.getStore();
      await Promise.resolve();
      return [before, storage.getStore()];
    };
    expect(await Promise.all([storage.run("a", ask), storage.run("b", ask)])).toEqual([
      ["a", undefined],
      ["b", undefined],
    ]);
  });
});

it("the context uses the AsyncLocalStorage of the runtime, also if an app sets it after its imports", async () => {
  const own = (await import("node:async_hooks")).AsyncLocalStorage;
  stubBareRuntime();
  const storage = new AsyncLocalStorage<string>();
  expect(storage.getStore()).toBeUndefined();
  vi.stubGlobal("AsyncLocalStorage", own);
  const inside = await storage.run("a", async () => {
    await Promise.resolve();
    return storage.getStore();
  });
  expect(inside).toBe("a");
});

it("a module of Node is absent where the runtime refuses it, as the edge runtime of Next.js does", () => {
  expect(builtinModule("node:util")).toHaveProperty("types");
  stubBareRuntime();
  expect(builtinModule("node:util")).toBeUndefined();
  const getBuiltinModule = (): never => {
    throw new Error("A Node.js API is used (process.getBuiltinModule)");
  };
  vi.stubGlobal("process", { getBuiltinModule });
  expect(builtinModule("node:util")).toBeUndefined();
  expect(new AsyncLocalStorage<string>().run("a", () => "returned")).toBe("returned");
});

describe("timers", () => {
  it("run with their arguments, and can be cleared", async () => {
    const calls: number[] = [];
    const cleared = setTimeout((value: number) => void calls.push(value), 1, 1);
    clearTimeout(cleared);
    await new Promise<void>((resolve) => void setTimeout(resolve, 5).unref());
    expect(calls).toEqual([]);
  });

  it("do not throw where the runtime refuses them, and do not count as pending", () => {
    vi.stubGlobal("setTimeout", () => {
      throw new Error("Disallowed operation called within global scope.");
    });
    expect(isPending(setTimeout(() => undefined, 1000))).toBe(false);
  });

  it("do not count as pending when the request that started them has ended", () => {
    vi.stubGlobal("setTimeout", () => 1);
    const startedAtMs = Date.now();
    const timer = setTimeout(() => undefined, 5000);
    expect(isPending(timer)).toBe(true);
    const clock = vi.spyOn(Date, "now").mockReturnValue(startedAtMs + 10_000);
    expect(isPending(timer)).toBe(false);
    clock.mockRestore();
  });
});

it("ids are random where the runtime has no random source yet", () => {
  vi.stubGlobal("crypto", {
    getRandomValues() {
      throw new Error("Disallowed operation called within global scope.");
    },
  });
  expect(randomHex()).toMatch(/^[0-9a-f]{48}$/);
  expect(randomHex()).not.toBe(randomHex());
});

it("an app without a process has no variables", () => {
  stubBareRuntime();
  expect(readEnvironment()).toEqual({});
});

it("a runtime without FinalizationRegistry loads the SDK", () => {
  const registry = new FinalizationRegistry(() => undefined);
  registry.register({}, 1);
});

it.each(["", "plain", "é€😀", "\ud800x", "😀".repeat(5000)])(
  "texts have the length of their UTF-8, and are copied",
  (text) => {
    // Half of a surrogate pair alone becomes three bytes.
    const difference = text.startsWith("\ud800") ? 1 : 0;
    expect(textBytes.utf8Length(text) + difference).toBe(Buffer.byteLength(text));
    expect(textBytes.copyText(text)).toBe(text.replace("\ud800", "\ufffd"));
  },
);

it.each([0, 1, 2, 3, 10_000])("%i bytes are base64 and back", (length) => {
  const bytes = Uint8Array.from({ length }, (_, index) => index % 256);
  const text = base64.toBase64(bytes);
  expect(text).toBe(Buffer.from(bytes).toString("base64"));
  expect(base64.fromBase64(text)).toEqual(bytes);
});

it("a text that is no base64 has no bytes", () => {
  expect(base64.fromBase64("%%%")).toEqual(new Uint8Array());
});

describe("the source of a span", () => {
  const sourceOf = (stack: string): unknown[] => {
    const set: unknown[] = [];
    const span = { setAttribute: (_: string, value: unknown) => set.push(value) };
    recordSource(span as unknown as RecordedSpan, { stack });
    return set;
  };

  it.each([
    ["Error\n    at support (https://shop.example/assets/app.js:10:5)", ["assets/app.js", 10]],
    ["Error\n    at file:///worker.js:3:1", ["worker.js", 3]],
    ["Error\n    at Object.fetch (worker.js:20:11)", ["worker.js", 20]],
    ["Error\n    at x (https://h/node_modules/a/b.js:1:1)\n    at https://h/page.js?v=2:7:1", []],
    ["no stack", []],
  ])("%j", (stack, source) => {
    expect(sourceOf(stack)).toEqual(source);
  });
});
