import { describe, expect, it } from "vitest";
import { closedPort, startReceiver } from "./receiver.js";
import { runApp } from "./run-app.js";

describe("spec 4.10 rule 3: the end of the process", () => {
  it("a process with nothing left to do sends the buffered spans and exits", async () => {
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

  it("without a collector the process exits within its limit, and logs the lost spans", async () => {
    const { exitCode, output, tookMs } = await runApp("spans(3);", `http://127.0.0.1:${await closedPort()}`);
    expect(exitCode).toBe(0);
    expect(output).toMatch(/^\[obspan\] 3 spans were dropped: .*ECONNREFUSED.*\n$/);
    expect(tookMs).toBeLessThan(8000);
  });

  it("a refused connection is not retried at the end of the process", async () => {
    const { output } = await runApp("spans(3);", `http://127.0.0.1:${await closedPort()}`, {
      retryBackoff: 3600,
    });
    expect(output).toMatch(/3 spans were dropped: .*ECONNREFUSED/);
    expect(output).not.toContain("shutdownTimeout");
  });

  it("with a collector that never responds the process exits after shutdownTimeout", async () => {
    const receiver = await startReceiver(() => undefined);
    const { exitCode, output } = await runApp("spans(3);", receiver.url, { shutdownTimeout: 0.2 });
    expect(exitCode).toBe(0);
    expect(output).toContain("3 spans were dropped");
  });

  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "%s without a handler of the app sends the spans, and the signal ends the process",
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

  it.each(["on", "once"])(
    "SIGTERM with a handler of process.%s() sends the spans, and the app decides when and how it ends",
    async (method) => {
      const receiver = await startReceiver();
      const { exitCode, signal, output } = await runApp(
        `spans(3);
       const timer = setInterval(() => {}, 1000);
       process.${method}("SIGTERM", () => setTimeout(() => { console.log("my way"); process.exitCode = 7; clearInterval(timer); }, 300));
       console.log("ready");`,
        receiver.url,
        { signals: ["SIGTERM"] },
      );
      expect([exitCode, signal]).toEqual([7, null]);
      expect(output).toContain("my way");
      expect(receiver.names).toHaveLength(3);
    },
  );

  it("a handler of the app that raises SIGTERM again after its clean-up does not lose the spans", async () => {
    const receiver = await startReceiver();
    // As NestJS does with `enableShutdownHooks()`.
    const { signal, output } = await runApp(
      `spans(3);
       const cleanUp = async () => { process.off("SIGTERM", cleanUp); process.kill(process.pid, "SIGTERM"); };
       process.on("SIGTERM", cleanUp);
       setInterval(() => {}, 1000);
       setTimeout(() => console.log("ready"), 100);`,
      receiver.url,
      { signals: ["SIGTERM"] },
    );
    expect([signal, output]).toEqual(["SIGTERM", "ready\n"]);
    expect(receiver.names).toHaveLength(3);
  });

  it("a second SIGINT ends the process without waiting", async () => {
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

  it("signal-exit, which ends the process if it has the only listeners, still does so", async () => {
    const receiver = await startReceiver();
    const { signal, output } = await runApp(
      `spans(3);
       setInterval(() => {}, 1000);
       // Like the package: one listener, a count under a global symbol, and a raise if there is no other listener.
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

  it("spans that come while the last spans are sent are sent too", async () => {
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

  it("shutdown() removes the signal listeners", async () => {
    const receiver = await startReceiver();
    const { output } = await runApp(
      `spans(1); await shutdown(); await new Promise((resolve) => setImmediate(resolve));
       console.log(...["SIGTERM", "SIGINT", "SIGHUP", "beforeExit"].map((event) => process.listenerCount(event)));
       console.log(process.listeners("exit").filter((listener) => String(listener).includes("sendAtExit")).length);`,
      receiver.url,
    );
    expect(output).toBe("0 0 0 0\n0\n");
  });

  it.each([
    ["in the tick of configure()", "spans(3); process.exit(5);"],
    ["after a while", "spans(3); setTimeout(() => process.exit(5), 200);"],
    [
      "when the event loop was blocked",
      "const end = Date.now() + 300; while (Date.now() < end); spans(3); process.exit(5);",
    ],
  ])("process.exit() %s sends the buffered spans", async (_, code) => {
    const receiver = await startReceiver();
    const { exitCode, output } = await runApp(code, receiver.url);
    expect([exitCode, output]).toEqual([5, ""]);
    expect(receiver.names).toEqual(["s0", "s1", "s2"]);
  });

  it("await flush() at the end of a module keeps the process alive until it is done", async () => {
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
