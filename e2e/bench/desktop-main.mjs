/**
 * Stands for the main process of the desktop app, without Electron's binary: the collector with traces on disk, what the shell
 * reads of it once a second, and an answer to each message of the page. `desktop.mjs` drives it.
 *
 * @typedef {{ type: "ping", id: number } | { type: "watch" } | { type: "delay" } | { type: "usage" } | { type: "stop" }} Command
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";

const [, , checkout = "", port = "0"] = process.argv;
const core = await import(pathToFileURL(join(checkout, "collector-core/dist/index.js")).href);
const directory = mkdtempSync(join(tmpdir(), "obspan-desktop-"));
const result = core.loadConfig({
  env: { OBS_SERVER_PORT: port, OBS_SERVER_LOGGING_LEVEL: "WARNING" },
  defaults: core.localDefaults(join(directory, "traces")),
});
if (result.type === "refused") throw new Error(result.problems.join("\n"));
const collector = await core.createCollector({
  loaded: result.loaded,
  logger: core.createLogger({ level: "WARNING", structured: true }),
  version: "0.0.0-bench",
  uiDirectory: join(checkout, "collector-core/ui/"),
});
await collector.start();

/** As the tray and the notifications read it (desktop/src/main/run-watch.ts). */
let ticks = 0;
let asked = -1;
const watch = setInterval(async () => {
  const { processed } = collector.status().ledger;
  if (processed === asked || ticks++ % 2 === 1) return;
  asked = processed;
  await collector.listTraces?.({ status: "ERROR", limit: 20 });
}, 1000);

/** One millisecond is its step: a shorter delay counts as none. */
const delay = monitorEventLoopDelay({ resolution: 1 });

process.on("message", async (/** @type {Command} */ command) => {
  switch (command.type) {
    case "ping":
      process.send(command);
      return;
    case "watch":
      delay.enable();
      delay.reset();
      return;
    case "delay":
      delay.disable();
      process.send({ type: "delay", p99Ms: delay.percentile(99) / 1e6, maxMs: delay.max / 1e6 });
      return;
    case "usage": {
      const { user, system } = process.cpuUsage();
      const cpuMs = (user + system) / 1000;
      const { processed, dropped } = collector.status().ledger;
      const lost = Object.values(dropped).reduce((sum, count) => sum + count, 0);
      const rssMb = process.memoryUsage.rss() / 1e6;
      process.send({ type: "usage", atMs: performance.now(), cpuMs, rssMb, processed, lost });
      return;
    }
    case "stop":
      clearInterval(watch);
      await collector.stop();
      rmSync(directory, { recursive: true, force: true });
      process.disconnect();
  }
});
process.send({ type: "ready", port: Number(new URL(collector.url).port) });
