import { describe, expect, it } from "vitest";
import { createConcurrencyLimit } from "../../src/runtime/concurrency-limit.js";

describe("a limit of concurrency", () => {
  /** Tasks that end when they are told to. */
  function startTasks(max: number, names: readonly string[], signals: readonly AbortSignal[] = []) {
    const running = new Map<string, () => void>();
    const began: string[] = [];
    const inTurn = createConcurrencyLimit(max);
    const ended = names.map((name, at) =>
      inTurn(() => {
        began.push(name);
        return new Promise<string>((resolve) => running.set(name, () => resolve(name)));
      }, signals[at]),
    );
    return { began, running, ended };
  }

  it("lets so many run at a time, the others in the order in which they came", async () => {
    const { began, running, ended } = startTasks(2, ["a", "b", "c", "d"]);
    await Promise.resolve();
    expect(began).toEqual(["a", "b"]);
    running.get("b")?.();
    await ended[1];
    running.get("a")?.();
    await ended[0];
    await new Promise((resolve) => setImmediate(resolve));
    expect(began).toEqual(["a", "b", "c", "d"]);
  });

  it("lets a task leave that waits, and no other with it", async () => {
    const abort = new AbortController();
    const none = new AbortController().signal;
    const { began, running, ended } = startTasks(1, ["a", "b", "c"], [none, abort.signal, none]);
    abort.abort(new Error("gone"));
    await expect(ended[1]).rejects.toThrow("gone");
    running.get("a")?.();
    await ended[0];
    await new Promise((resolve) => setImmediate(resolve));
    expect(began).toEqual(["a", "c"]);
    running.get("c")?.();
    expect(await ended[2]).toBe("c");
  });

  it("goes on after a task that fails", async () => {
    const inTurn = createConcurrencyLimit(1);
    await expect(inTurn(() => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    expect(await inTurn(() => Promise.resolve("next"))).toBe("next");
  });
});
