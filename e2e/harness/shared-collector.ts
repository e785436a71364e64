import { afterAll } from "vitest";
import { killProgram, startBuiltCollector, type BuiltCollector, type Settings } from "./built-collector.js";
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
  let started: BuiltCollector | undefined;
  afterAll(async () => {
    if (started !== undefined) await killProgram(started);
  });
  return async () => {
    // A test may have ended it.
    if (started === undefined || started.hasExited())
      return (started = await startBuiltCollector(settings, nodeArguments));
    const collector = started;
    await ledgerAtRest(collector.url);
    const { status } = await fetch(`${collector.url}/v1/traces`, { method: "DELETE" });
    if (status !== 204) throw new Error(`The traces were not deleted: ${status}.`);
    return collector;
  };
}
