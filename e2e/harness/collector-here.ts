import { fileURLToPath } from "node:url";
import {
  createCollector,
  createLogger,
  isPortInUse,
  loadConfig,
  type Collector,
} from "@obspan/collector-core";
import { onTestFinished } from "vitest";
import { freePort } from "../../collector-core/test/free-port.js";
import { asEnvironment, type Settings } from "./built-collector.js";
import { pause } from "./until.js";

const UI = fileURLToPath(new URL("../../collector-core/ui/", import.meta.url));
/** `fetch` notices that its connections have closed. A request to the next collector would use one of them. */
const CLOSED_WITHIN_MS = 10;

/** A collector in this process, with the built pages. */
export interface CollectorHere {
  /** Its address: `http://127.0.0.1:41234`. */
  readonly url: string;
  readonly hasEnded: () => boolean;
  /** Stops in order. */
  stop(): Promise<void>;
}

/**
 * Where the collectors of this process listen, one after the other: the browser keeps compiled scripts by their address. That
 * saves a quarter of the processor time of a page.
 */
let usualPort: number | undefined;
let isUsualPortTaken = false;

/**
 * Starts a collector for tests of its answers and its pages: that takes a third of the processor time of a process. Its log has
 * errors only.
 */
export async function startCollectorHere(settings: Settings = {}): Promise<CollectorHere> {
  const isUsual = settings["PORT"] === undefined && !isUsualPortTaken;
  if (isUsual) isUsualPortTaken = true;
  const collector = isUsual ? await startOnUsualPort(settings) : await start(settings);
  let ended = false;
  return {
    url: collector.url,
    hasEnded: () => ended,
    async stop() {
      if (ended) return;
      ended = true;
      await collector.stop();
      await pause(CLOSED_WITHIN_MS);
      if (isUsual) isUsualPortTaken = false;
    },
  };
}

/** {@link startCollectorHere} for one test, stopped at its end. */
export async function collectorHere(settings: Settings = {}): Promise<CollectorHere> {
  const collector = await startCollectorHere(settings);
  onTestFinished(() => collector.stop());
  return collector;
}

async function startOnUsualPort(settings: Settings): Promise<Collector> {
  try {
    return await start({ ...settings, PORT: String((usualPort ??= await freePort())) });
  } catch (error) {
    // Another program has got it meanwhile.
    if (!isPortInUse(error)) throw error;
    usualPort = undefined;
    return await startOnUsualPort(settings);
  }
}

async function start(settings: Settings): Promise<Collector> {
  const result = loadConfig({ env: asEnvironment(settings) });
  if (result.type === "refused") throw new Error(result.problems.join("\n"));
  const collector = await createCollector({
    loaded: result.loaded,
    logger: createLogger({ level: "ERROR", structured: true }),
    version: "0.0.0-test",
    uiDirectory: UI,
  });
  try {
    await collector.start();
  } catch (error) {
    await collector.stop();
    throw error;
  }
  return collector;
}
