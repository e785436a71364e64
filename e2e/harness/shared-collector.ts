import { afterAll } from "vitest";
import { killProgram, startBuiltCollector, type BuiltCollector, type Settings } from "./built-collector.js";
import { startCollectorHere, type CollectorHere } from "./collector-here.js";
import { ledgerAtRest } from "./ledger.js";

/**
 * One collector for the tests of a file that need no more than one without traces: a start takes a third of a second of a core.
 *
 * @returns a function that gives the collector to a test, without the traces of the tests before.
 */
export function sharedCollector(
  settings: Settings = {},
  nodeArguments: readonly string[] = [],
): () => Promise<BuiltCollector> {
  return shared(
    () => startBuiltCollector(settings, nodeArguments),
    (collector) => collector.hasExited(),
    killProgram,
  );
}

/** {@link sharedCollector} in this process. */
export function sharedCollectorHere(settings: Settings = {}): () => Promise<CollectorHere> {
  return shared(
    () => startCollectorHere(settings),
    (collector) => collector.hasEnded(),
    async (collector) => void (await collector.stop()),
  );
}

function shared<Collector extends { readonly url: string }>(
  start: () => Promise<Collector>,
  hasEnded: (collector: Collector) => boolean,
  end: (collector: Collector) => Promise<void>,
): () => Promise<Collector> {
  let started: Collector | undefined;
  afterAll(async () => {
    if (started !== undefined) await end(started);
  });
  return async () => {
    // A test may have ended it.
    if (started === undefined || hasEnded(started)) return (started = await start());
    const { url } = started;
    await ledgerAtRest(url);
    const { status } = await fetch(`${url}/v1/traces`, { method: "DELETE" });
    if (status !== 204) throw new Error(`The traces were not deleted: ${status}.`);
    return started;
  };
}
