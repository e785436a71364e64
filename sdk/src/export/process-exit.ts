import type { Config } from "../config/options.js";
import type { SpanExporter } from "./exporter.js";
import { sendLastWords } from "./last-words.js";
import type { Ledger } from "./ledger.js";
import type { SpanBuffer } from "./span-buffer.js";

/** Exporters that are sending their last spans. */
const settling = new WeakSet<SpanExporter>();

/** Hears of the end: the name of a signal, or the exit code that `beforeExit` brings, and the SDK's own listener. */
export type EndListener = (
  event: number | string,
  listener: (event: number | string) => void,
) => Promise<void>;

/** Prepares for the end of the process, and sends what waits then. */
export function watchEnd(
  exporter: SpanExporter,
  config: Config,
  buffer: SpanBuffer,
  ledger: Ledger,
): EndListener {
  const sendTheRest = () => sendLastWords(config, buffer, ledger);
  atExit().add(sendTheRest);
  return (event, listener) => endOrderly(exporter, sendTheRest, event, listener);
}

/**
 * Sends what waits before the process ends, within `shutdownTimeout`: when nothing is left to do (`beforeExit`), and on
 * SIGTERM and SIGINT. The app's own handlers stay in charge: where it has any, the process ends when they end it; where it
 * has none, the signal is raised again once the spans are sent, and ends the process as it would have without the SDK.
 */
async function endOrderly(
  exporter: SpanExporter,
  sendTheRest: () => void,
  event: number | string,
  listener: (event: number | string) => void,
): Promise<void> {
  const before = settledCount(exporter);
  // A second signal: somebody is in a hurry.
  const isHurried = settling.has(exporter);
  if (!isHurried) {
    settling.add(exporter);
    await exporter.settle();
    settling.delete(exporter);
  }
  // What still waits cannot be sent, and asking for it again would never end.
  if (typeof event === "number" && settledCount(exporter) === before)
    process.removeListener("beforeExit", listener);
  if (typeof event === "number" || process.listenerCount(event) - 1 > countOfSignalExit()) return;
  // A signal that ends the process passes `exit` by.
  if (!isHurried) sendTheRest();
  process.removeListener(event, listener);
  process.kill(process.pid, event);
}

/** Where the process keeps what is done at its end; each copy of this package in it adds to the same. */
const AT_EXIT = Symbol.for("obspan.sdk.exit");

/** What is done at the end of the process: one listener, however often the SDK is started, as test runners do. */
function atExit(): Set<() => void> {
  const holder = globalThis as Record<symbol, Set<() => void> | undefined>;
  const known = holder[AT_EXIT];
  if (known !== undefined) return known;
  const added = (holder[AT_EXIT] = new Set());
  process.on("exit", () => {
    for (const step of added) step();
  });
  return added;
}

function settledCount(exporter: SpanExporter): number {
  const { enqueued, pending } = exporter.stats();
  return enqueued - pending;
}

/**
 * How many listeners belong to the package `signal-exit`, which much of npm carries along. It ends the process by itself,
 * but only where it finds no listener besides its own: two such would wait for each other for ever.
 */
function countOfSignalExit(): number {
  const v4 = (globalThis as Record<symbol, unknown>)[Symbol.for("signal-exit emitter")];
  const v3 = (process as unknown as Record<string, unknown>)["__signal_exit_emitter__"];
  return [v3, v4].reduce<number>((sum, emitter) => {
    const count = (emitter as { count?: unknown } | undefined)?.count;
    return sum + (typeof count === "number" ? count : 0);
  }, 0);
}
