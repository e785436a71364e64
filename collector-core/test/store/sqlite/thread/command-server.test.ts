import { describe, expect, it, vi } from "vitest";
import { nextTurn } from "../../../../src/runtime/loop-turn.js";
import { serveEngine } from "../../../../src/store/sqlite/thread/command-server.js";
import type { FromThread, ToThread } from "../../../../src/store/sqlite/thread/protocol.js";
import { FakeEngine } from "../fake-engine.js";

const APPENDS = 20;

/** Blocks the event loop. */
function work(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}

describe("the storage thread", () => {
  /** A thread to which messages arrive in one turn of the event loop, as many do where a sender is fast. */
  const started = async ({ appendMs = 6 } = {}) => {
    const engine = new FakeEngine();
    const events: string[] = [];
    // Each takes longer than the messages of a turn may.
    engine.onAppend = () => {
      events.push("append");
      work(appendMs);
    };
    let receive: (message: ToThread) => void = () => undefined;
    const answers: FromThread[] = [];
    await serveEngine({
      createEngine: () => engine,
      port: {
        on: (_event, listener) => void (receive = listener),
        postMessage: (message) => void answers.push(message),
        close: () => undefined,
      },
    });
    const append = (): void => {
      for (let n = 0; n < APPENDS; n++) receive({ type: "append", bytes: new ArrayBuffer(0), length: 0 });
    };
    const applied = (): number => answers.filter(({ type }) => type === "applied").length;
    return { engine, events, answers, append, applied, receive: (message: ToThread) => receive(message) };
  };

  it("goes on with a command while appends wait, and begins it after those before it", async () => {
    const { engine, events, answers, append, applied, receive } = await started();
    vi.spyOn(engine.commands, "tenantsOf").mockImplementation(async () => {
      events.push("begun");
      for (let turn = 0; turn < 5; turn++) await nextTurn();
      events.push("ended");
      return ["a"];
    });
    append();
    receive({ type: "ask", id: 1, command: "tenantsOf", args: ["trace"] });
    append();
    await expect.poll(() => applied()).toBe(2 * APPENDS);
    expect(events.indexOf("begun")).toBe(APPENDS);
    expect(events.indexOf("ended")).toBeLessThan(2 * APPENDS);
    expect(answers.filter(({ type }) => type === "answer")).toEqual([
      { type: "answer", id: 1, result: ["a"] },
    ]);
    receive({ type: "stop" });
    await expect.poll(() => answers.at(-1)?.type).toBe("stopped");
  });

  it("gives a command as much time as the appends between its slices took", async () => {
    const { engine, events, append, applied, receive } = await started({ appendMs: 40 });
    vi.spyOn(engine.commands, "tenantsOf").mockImplementation(async () => {
      events.push("begun");
      for (let slice = 0; slice < 12; slice++) {
        work(5);
        await nextTurn();
      }
      events.push("ended");
      return ["a"];
    });
    receive({ type: "ask", id: 1, command: "tenantsOf", args: ["trace"] });
    append();
    await expect.poll(() => applied()).toBe(APPENDS);
    expect(events[0]).toBe("begun");
    // One append for each slice would be twelve.
    expect(events.indexOf("ended")).toBeLessThan(9);
    receive({ type: "stop" });
  });

  it("does not begin a command that is aborted while it waits", async () => {
    const { engine, answers, append, applied, receive } = await started();
    const asked = vi.spyOn(engine.commands, "tenantsOf");
    append();
    receive({ type: "ask", id: 1, command: "tenantsOf", args: ["trace"] });
    receive({ type: "abort", id: 1 });
    expect(answers.at(-1)).toEqual({ type: "failure", id: 1, error: { type: "aborted" } });
    receive({ type: "stop" });
    await expect.poll(() => answers.at(-1)?.type).toBe("stopped");
    expect(applied()).toBe(APPENDS);
    expect(asked).not.toHaveBeenCalled();
  });
});
