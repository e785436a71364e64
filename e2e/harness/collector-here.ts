import { subscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { Socket } from "node:net";
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
import type { SpanLedger } from "./ledger.js";

const UI = fileURLToPath(new URL("../../collector-core/ui/", import.meta.url));
/** A collector in this process, with the built pages. */
export interface CollectorHere {
  /** Its address: `http://127.0.0.1:41234`. */
  readonly url: string;
  /** The lines of its log: errors only. */
  readonly log: readonly string[];
  readonly hasEnded: () => boolean;
  /** Stops in order. Resolves with the ledger at the end. */
  stop(): Promise<SpanLedger>;
}

/**
 * Where the collectors of this process listen, one after the other: the browser keeps compiled scripts by their address. That
 * saves a quarter of the processor time of a page.
 */
let usualPort: number | undefined;
let isUsualPortTaken = false;

/** The open connections of `fetch`, with their port: it keeps them for later requests. */
const connections = new Map<Socket, number | undefined>();
subscribe("undici:client:connected", (message) => {
  const { socket } = message as { readonly socket: Socket };
  connections.set(socket, socket.remotePort);
  socket.once("close", () => connections.delete(socket));
});

/** Closes the connections to a collector that has stopped. A request to the next one at this port would use them. */
async function closeConnections(port: number): Promise<void> {
  const open = Array.from(connections).filter(([, to]) => to === port);
  await Promise.all(
    open.map(async ([socket]) => {
      const closed = once(socket, "close");
      socket.destroy();
      await closed;
    }),
  );
}

/**
 * Starts a collector for tests of its answers and its pages: that takes a third of the processor time of a process. Its log has
 * errors only.
 */
export async function startCollectorHere(settings: Settings = {}): Promise<CollectorHere> {
  const isUsual = settings["PORT"] === undefined && !isUsualPortTaken;
  if (isUsual) isUsualPortTaken = true;
  const log: string[] = [];
  const collector = isUsual ? await startOnUsualPort(settings, log) : await start(settings, log);
  let stopped: Promise<SpanLedger> | undefined;
  async function stop(): Promise<SpanLedger> {
    const ledger = await collector.stop();
    await closeConnections(Number(new URL(collector.url).port));
    if (isUsual) isUsualPortTaken = false;
    return ledger;
  }
  return {
    url: collector.url,
    log,
    hasEnded: () => stopped !== undefined,
    stop: () => (stopped ??= stop()),
  };
}

/** {@link startCollectorHere} for one test, stopped at its end. */
export async function collectorHere(settings: Settings = {}): Promise<CollectorHere> {
  const collector = await startCollectorHere(settings);
  onTestFinished(async () => void (await collector.stop()));
  return collector;
}

async function startOnUsualPort(settings: Settings, log: string[]): Promise<Collector> {
  try {
    return await start({ ...settings, PORT: String((usualPort ??= await freePort())) }, log);
  } catch (error) {
    // Another program has got it meanwhile.
    if (!isPortInUse(error)) throw error;
    usualPort = undefined;
    return await startOnUsualPort(settings, log);
  }
}

async function start(settings: Settings, log: string[]): Promise<Collector> {
  const result = loadConfig({ env: asEnvironment(settings) });
  if (result.type === "refused") throw new Error(result.problems.join("\n"));
  const stderr = (line: string): void => {
    log.push(line);
    process.stderr.write(line);
  };
  const collector = await createCollector({
    loaded: result.loaded,
    logger: createLogger({ level: "ERROR", structured: true, stderr }),
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
