/* oxlint-disable typescript/only-throw-error -- apps throw anything, and it must come out as it went in. */
import { describe, expect, it } from "vitest";
import { recordingSdk } from "../fresh-sdk.js";

describe("errors", () => {
  it("any value that a function throws or rejects with reaches the caller as the same object", async () => {
    const { task, takeSpans } = await recordingSdk();
    for (const thrown of [new Error("e"), "text", 42, null, undefined, { code: "X" }, Symbol("s"), () => 1]) {
      const sync = task("sync", () => {
        throw thrown;
      });
      const async = task("async", async () => {
        throw thrown;
      });
      let caught: unknown = "nothing";
      try {
        sync();
      } catch (error) {
        caught = error;
      }
      expect(caught).toBe(thrown);
      expect(await async().catch((error: unknown) => [error])).toEqual([thrown]);
    }
    expect(takeSpans().every(({ status }) => status === "ERROR")).toBe(true);
  });

  it("an error is recorded where it was thrown; the spans that it passes through carry error_propagated", async () => {
    const { task, takeSpans } = await recordingSdk();
    const error = new RangeError("deep");
    const inner = task("inner", async () => {
      throw error;
    });
    const middle = task("middle", async () => inner());
    await task("outer", middle)().catch(() => undefined);
    const spans = takeSpans();
    expect(spans.map(({ name, error_propagated }) => [name, error_propagated])).toEqual([
      ["inner", undefined],
      ["middle", true],
      ["outer", true],
    ]);
    expect(spans.map(({ attributes }) => attributes?.["error_type"])).toEqual([
      "RangeError",
      "RangeError",
      "RangeError",
    ]);
    expect(spans[0]?.attributes?.["error_stack"]).toContain("errors.test");
    expect(spans[1]?.attributes).not.toHaveProperty("error_stack");
  });

  it("an error that wraps a recorded one as its cause is the same failure", async () => {
    const { task, takeSpans } = await recordingSdk();
    const inner = task("inner", () => {
      throw new Error("cause");
    });
    const outer = task("outer", () => {
      try {
        inner();
      } catch (error) {
        throw new Error("wrapped", { cause: error });
      }
    });
    expect(outer).toThrow("wrapped");
    expect(takeSpans().map(({ error_propagated }) => error_propagated)).toEqual([undefined, true]);
  });

  it("a thrown value that is not an object is recognised in outer spans too", async () => {
    const { task, takeSpans } = await recordingSdk();
    const inner = task("inner", () => {
      throw "text";
    });
    expect(task("outer", () => inner())).toThrow("text");
    expect(
      task("other", () => {
        throw "text";
      }),
    ).toThrow("text");
    expect(takeSpans().map(({ error_propagated }) => error_propagated)).toEqual([undefined, true, undefined]);
  });

  it("an error counts once if a span records and rethrows it, and once for each failed retry", async () => {
    const { observe, task, takeSpans } = await recordingSdk();
    const error = new Error("mine");
    expect(() =>
      observe("own", (span) => {
        span.recordError(error);
        throw error;
      }),
    ).toThrow(error);
    const attempt = task("attempt", () => {
      throw new Error("each its own");
    });
    for (let count = 0; count < 2; count++) expect(attempt).toThrow();
    expect(takeSpans().map(({ error_propagated }) => error_propagated)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("an error object that several calls throw fails each of them", async () => {
    const { agent, takeSpans, tool } = await recordingSdk();
    const kept = Promise.reject(new Error("no connection"));
    const query = tool("query", () => kept);
    const request = agent("request", async () => {
      await query().catch(() => undefined);
      await query();
    });
    await Promise.allSettled([request(), request()]);
    const spans = takeSpans();
    expect(
      spans.filter(({ name }) => name === "query").map(({ error_propagated }) => error_propagated),
    ).toEqual([undefined, undefined, undefined, undefined]);
    expect(
      spans.filter(({ name }) => name === "request").map(({ error_propagated }) => error_propagated),
    ).toEqual([true, true]);
  });

  it("an error is still recognised if the span between has already ended", async () => {
    const { agent, task, takeSpans, tool } = await recordingSdk();
    const call = tool("call", async () => {
      await Promise.resolve();
      throw new Error("late");
    });
    const begin = task("begin", () => ({ answer: call() }));
    await expect(agent("asks", async () => begin().answer)()).rejects.toThrow("late");
    expect(takeSpans().map(({ name, error_propagated }) => [name, error_propagated])).toEqual([
      ["begin", undefined],
      ["call", undefined],
      ["asks", true],
    ]);
  });

  it("an AggregateError of Promise.any() is the same failure as its errors", async () => {
    const { agent, takeSpans, tool } = await recordingSdk();
    const providers = ["a", "b"].map((name) =>
      tool(name, async () => {
        throw new Error(`${name} is down`);
      }),
    );
    await expect(agent("any", async () => Promise.any(providers.map((call) => call())))()).rejects.toThrow();
    expect(takeSpans().map(({ error_propagated }) => error_propagated)).toEqual([undefined, undefined, true]);
  });

  it("a parent that catches the error is OK", async () => {
    const { task, takeSpans } = await recordingSdk();
    const inner = task("inner", () => {
      throw new Error("handled");
    });
    task("outer", () => {
      try {
        inner();
      } catch {
        return "fallback";
      }
      return "never";
    })();
    expect(takeSpans().map(({ status }) => status)).toEqual(["ERROR", "OK"]);
  });

  it("an unhandled rejection stays unhandled", async () => {
    const { task } = await recordingSdk();
    const heard: unknown[] = [];
    const others = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection");
    process.on("unhandledRejection", (reason) => heard.push(reason));
    const error = new Error("nobody cares");
    void task("lost", async () => {
      throw error;
    })();
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.removeAllListeners("unhandledRejection");
    for (const listener of others) process.on("unhandledRejection", listener);
    expect(heard).toEqual([error]);
  });
});
