import { describe, expect, it } from "vitest";
import { createConcurrencyLimit } from "../../src/runtime/concurrency-limit.js";

describe("createConcurrencyLimit", () => {
  /** Starts tasks that end when the test resolves them. */
  function startTasks(max: number, names: readonly string[], signals: readonly AbortSignal[] = []) {
    const running = new Map<string, () => void>();
    const started: string[] = [];
    const limited = createConcurrencyLimit(max);
    const ended = names.map((name, at) =>
      limited(() => {
        started.push(name);
        return new Promise<string>((resolve) => running.set(name, () => resolve(name)));
      }, signals[at]),
    );
    return { started, running, ended };
  }

  it("runs at most the given number of tasks at a time, the others in order of arrival", async () => {
    const { started, running, ended } = startTasks(2, ["a", "b", "c", "d"]);
    await Promise.resolve();
    expect(started).toEqual(["a", "b"]);
    running.get("b")?.();
    await ended[1];
    running.get("a")?.();
    await ended[0];
    await new Promise((resolve) => setImmediate(resolve));
    expect(started).toEqual(["a", "b", "c", "d"]);
  });

  it("removes a waiting task when its signal is aborted, and no other task", async () => {
    const abort = new AbortController();
    const none = new AbortController().signal;
    const { started, running, ended } = startTasks(1, ["a", "b", "c"], [none, abort.signal, none]);
    abort.abort(new Error("gone"));
    await expect(ended[1]).rejects.toThrow("gone");
    running.get("a")?.();
    await ended[0];
    await new Promise((resolve) => setImmediate(resolve));
    expect(started).toEqual(["a", "c"]);
    running.get("c")?.();
    expect(await ended[2]).toBe("c");
  });

  it("runs the next task after one fails", async () => {
    const limited = createConcurrencyLimit(1);
    await expect(limited(() => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    expect(await limited(() => Promise.resolve("next"))).toBe("next");
  });
});
