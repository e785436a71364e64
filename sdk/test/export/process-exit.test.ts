import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { closedPort, startReceiver } from "./receiver.js";

const SDK = new URL("../../dist/index.js", import.meta.url).href;

/** Runs a program of its own that uses the built SDK; `ready` in its output says that it may be signalled. */
async function runApp(
  code: string,
  pushUrl: string,
  options: { signals?: NodeJS.Signals[]; shutdownTimeout?: number } = {},
) {
  const { signals = [], shutdownTimeout = 2 } = options;
  const program = `
    import { configure, observe, stats, flush, shutdown } from ${JSON.stringify(SDK)};
    configure({ pushUrl: ${JSON.stringify(pushUrl)}, shutdownTimeout: ${shutdownTimeout}, retryBackoff: 0.01, flushInterval: 60 });
    const spans = (count) => { for (let index = 0; index < count; index++) observe("s" + index, () => 1); };
    ${code}
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "pipe"],
    cwd: fileURLToPath(new URL(".", import.meta.url)),
  });
  let output = "";
  child.stderr.on("data", (chunk) => (output += String(chunk)));
  child.stdout.on("data", (chunk) => {
    output += String(chunk);
    if (output.includes("ready")) for (const signal of signals.splice(0)) child.kill(signal);
  });
  const startedMs = performance.now();
  const [exitCode, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  return { exitCode, signal, output, tookMs: performance.now() - startedMs };
}

describe("spec 4.10 rule 3: the end of the process", () => {
  it("a process with nothing else to do sends what waits, and exits", async () => {
    const receiver = await startReceiver();
    const { exitCode, output } = await runApp("spans(3);", receiver.url);
    expect([exitCode, output]).toEqual([0, ""]);
    expect(receiver.names).toEqual(["s0", "s1", "s2"]);
  });

  it("a process that has recorded nothing exits at once", async () => {
    const receiver = await startReceiver();
    const { exitCode } = await runApp("", receiver.url);
    expect([exitCode, receiver.requests.length]).toEqual([0, 0]);
  });

  it("with the collector away it exits within its limit, and says what was lost", async () => {
    const { exitCode, output, tookMs } = await runApp("spans(3);", `http://127.0.0.1:${await closedPort()}`);
    expect(exitCode).toBe(0);
    expect(output).toMatch(/^\[obspan\] 3 spans were dropped: .*ECONNREFUSED.*\n$/);
    expect(tookMs).toBeLessThan(8000);
  });

  it("with a collector that never answers it exits after shutdownTimeout", async () => {
    const receiver = await startReceiver(() => undefined);
    const { exitCode, output } = await runApp("spans(3);", receiver.url, { shutdownTimeout: 0.2 });
    expect(exitCode).toBe(0);
    expect(output).toContain("3 spans were dropped");
  });

  it.each(["SIGTERM", "SIGINT"] as const)(
    "%s without a handler of the app's: spans are sent, and the process ends by the signal",
    async (signal) => {
      const receiver = await startReceiver();
      const ended = await runApp(
        `spans(3); setInterval(() => {}, 1000); console.log("ready");`,
        receiver.url,
        {
          signals: [signal],
        },
      );
      expect([ended.exitCode, ended.signal]).toEqual([null, signal]);
      expect(receiver.names).toHaveLength(3);
    },
  );

  it("SIGTERM with a handler of the app's: spans are sent, and the app decides when and how it ends", async () => {
    const receiver = await startReceiver();
    const { exitCode, signal, output } = await runApp(
      `spans(3);
       const timer = setInterval(() => {}, 1000);
       process.on("SIGTERM", () => setTimeout(() => { console.log("my way"); process.exitCode = 7; clearInterval(timer); }, 300));
       console.log("ready");`,
      receiver.url,
      { signals: ["SIGTERM"] },
    );
    expect([exitCode, signal]).toEqual([7, null]);
    expect(output).toContain("my way");
    expect(receiver.names).toHaveLength(3);
  });

  it("a second SIGINT does not wait", async () => {
    const receiver = await startReceiver(() => undefined);
    const { signal, tookMs } = await runApp(
      `spans(3);
       setInterval(() => {}, 1000);
       process.on("SIGWINCH", () => {});
       setTimeout(() => process.kill(process.pid, "SIGINT"), 100);
       setTimeout(() => process.kill(process.pid, "SIGINT"), 300);`,
      receiver.url,
      { shutdownTimeout: 60 },
    );
    expect(signal).toBe("SIGINT");
    expect(tookMs).toBeLessThan(20_000);
  });

  it("a library that ends the process when it is the only listener still does (signal-exit)", async () => {
    const receiver = await startReceiver();
    const { signal, output } = await runApp(
      `spans(3);
       setInterval(() => {}, 1000);
       // As the package does: one listener, a count under a global symbol, and a raise where nobody else listens.
       globalThis[Symbol.for("signal-exit emitter")] = { count: 1 };
       const listener = () => {
         if (process.listeners("SIGTERM").length !== 1) return;
         process.removeListener("SIGTERM", listener);
         console.log("cleaned up");
         process.kill(process.pid, "SIGTERM");
       };
       process.on("SIGTERM", listener);
       console.log("ready");`,
      receiver.url,
      { signals: ["SIGTERM"] },
    );
    expect([signal, output]).toEqual(["SIGTERM", "ready\ncleaned up\n"]);
    expect(receiver.names).toHaveLength(3);
  });

  it("what comes while the last spans are sent is sent too, where the process goes on", async () => {
    const receiver = await startReceiver();
    const { exitCode, output } = await runApp(
      `let rounds = 0;
       process.on("beforeExit", () => { if (rounds++ < 3) setTimeout(() => observe("late" + rounds, () => 1), 5); });
       spans(1);`,
      receiver.url,
    );
    expect([exitCode, output]).toEqual([0, ""]);
    expect(receiver.names).toEqual(["s0", "late1", "late2", "late3"]);
  });

  it("after shutdown() the signals are the app's again", async () => {
    const receiver = await startReceiver();
    const { output } = await runApp(
      `spans(1); await shutdown(); await new Promise((resolve) => setImmediate(resolve));
       console.log(process.listenerCount("SIGTERM"), process.listenerCount("SIGINT"), process.listenerCount("beforeExit"));`,
      receiver.url,
    );
    expect(output).toBe("0 0 0\n");
  });

  it("`await flush()` at the end of a module keeps the process until it is done", async () => {
    const receiver = await startReceiver(
      (response) => void setTimeout(() => response.writeHead(202).end(), 50),
    );
    const { exitCode, output } = await runApp(
      `spans(3); await flush(); console.log(JSON.stringify(stats()));`,
      receiver.url,
    );
    expect(exitCode).toBe(0);
    expect(JSON.parse(output)).toMatchObject({ enqueued: 3, acked: 3, pending: 0 });
  });
});

describe("an end at which nothing asynchronous runs any more", () => {
  /** The SDK has prepared itself, which takes a moment after configure(). */
  const PREPARED = `const prepared = async () => { while (globalThis[Symbol.for("obspan.sdk.exit")] === undefined) await new Promise((resolve) => setTimeout(resolve, 5)); };`;

  it.each([
    ["process.exit()", "process.exit(4);", 4],
    ["an error that nobody catches", 'setTimeout(() => { throw new Error("boom"); });', 1],
    ["a rejection that nobody handles", 'void Promise.reject(new Error("boom"));', 1],
    [
      "process.exit() in a handler of SIGTERM",
      'process.on("SIGTERM", () => process.exit(5)); process.kill(process.pid, "SIGTERM"); setInterval(() => {}, 1000);',
      5,
    ],
  ])("%s sends what waits, and ends the process as it would have", async (_, end, code) => {
    const receiver = await startReceiver();
    const { exitCode, output } = await runApp(
      `${PREPARED} await prepared(); spans(250); ${end}`,
      receiver.url,
    );
    expect(exitCode).toBe(code);
    expect(output).not.toContain("[obspan]");
    expect(new Set(receiver.names).size).toBe(250);
  });

  it("what is lost is counted and said, and the process is not held up", async () => {
    const program = `${PREPARED} await prepared();
      process.on("exit", () => { const { dropped, pending } = stats(); console.log(dropped.shutdown, pending); });
      spans(2); process.exit(0);`;
    const away = await runApp(program, `http://127.0.0.1:${await closedPort()}`);
    const silent = await runApp(program, (await startReceiver(() => undefined)).url, { shutdownTimeout: 60 });
    for (const { exitCode, output, tookMs } of [away, silent]) {
      expect(exitCode).toBe(0);
      expect(output).toBe(
        "[obspan] 2 spans were dropped: the process ended too soon. `await shutdown()` sends what waits.\n2 0\n",
      );
      expect(tookMs).toBeLessThan(15_000);
    }
  });

  it("a batch that is under way goes once more under its id, so that the collector counts it once", async () => {
    const receiver = await startReceiver(
      () => undefined,
      (response) => void response.writeHead(202).end(),
    );
    const { output } = await runApp(
      `${PREPARED} await prepared(); spans(1); void flush();
       setTimeout(() => { spans(2); process.exit(0); }, 300);`,
      receiver.url,
    );
    expect(output).toBe("");
    const [first, again, rest] = receiver.requests.map(({ batch }) => batch);
    expect([first?.batch_id, first?.spans]).toEqual([again?.batch_id, again?.spans]);
    expect(rest?.batch_id).not.toBe(first?.batch_id);
    expect(rest?.spans).toHaveLength(2);
  });
});

it("memory is flat while the collector is away", async () => {
  const { output } = await runApp(
    `(await import("node:v8")).setFlagsFromString("--expose-gc");
     const collectGarbage = (await import("node:vm")).runInNewContext("gc");
     const text = "x".repeat(1000);
     const used = async () => { await new Promise((resolve) => setTimeout(resolve, 20)); collectGarbage(); return process.memoryUsage().heapUsed; };
     const some = () => { for (let index = 0; index < 20_000; index++) observe({ name: "s", attributes: { text: text + index } }, () => 1); };
     some();
     const before = await used();
     for (let round = 0; round < 10; round++) some();
     console.log(JSON.stringify({ grown: (await used()) - before, pending: stats().pending }));
     process.exit(0);`,
    `http://127.0.0.1:${await closedPort()}`,
  );
  const { grown, pending } = JSON.parse(output.split("\n").find((line) => line.startsWith("{")) ?? "{}") as {
    grown: number;
    pending: number;
  };
  // What waits, and one batch under way.
  expect(pending).toBeLessThanOrEqual(10_100);
  // 200,000 spans of 1 KB went by: kept, they would be 200 MB.
  expect(grown).toBeLessThan(10_000_000);
});
