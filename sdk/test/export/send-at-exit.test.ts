import { describe, expect, it } from "vitest";
import { closedPort, startReceiver } from "./receiver.js";
import { runApp } from "./run-app.js";

describe("an end of the process without asynchronous code", () => {
  it.each([
    ["process.exit()", "process.exit(4);", 4],
    ["an uncaught error", 'setTimeout(() => { throw new Error("boom"); });', 1],
    ["an unhandled rejection", 'void Promise.reject(new Error("boom"));', 1],
    [
      "process.exit() in a handler of SIGTERM",
      'process.on("SIGTERM", () => process.exit(5)); process.kill(process.pid, "SIGTERM"); setInterval(() => {}, 1000);',
      5,
    ],
  ])("%s sends the buffered spans, and ends the process as usual", async (_, end, code) => {
    const receiver = await startReceiver();
    const { exitCode, output } = await runApp(`spans(250); ${end}`, receiver.url);
    expect(exitCode).toBe(code);
    expect(output).not.toContain("[obspan]");
    expect(new Set(receiver.names).size).toBe(250);
  });

  it("spans that wait for the revision of the app are sent", async () => {
    const receiver = await startReceiver();
    const { output } = await runApp(
      `const { default: fs } = await import("node:fs/promises");
       const { readFile } = fs;
       fs.readFile = (path, ...rest) => (/\\.git/.test(path) ? new Promise(() => {}) : readFile(path, ...rest));
       (await import("node:module")).syncBuiltinESMExports();
       spans(3); void flush();
       setTimeout(() => process.exit(0), 300);`,
      receiver.url,
    );
    expect(output).toBe("");
    expect(receiver.names).toHaveLength(3);
  });

  it("lost spans are counted and logged, and the process is not delayed for long", async () => {
    const program = `
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

  it("a batch that is being sent is sent once more under its id, so that the collector counts it once", async () => {
    const receiver = await startReceiver(
      () => undefined,
      (response) => void response.writeHead(202).end(),
    );
    const { output } = await runApp(
      `spans(1); void flush();
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
