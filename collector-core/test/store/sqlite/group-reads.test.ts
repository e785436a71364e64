import { afterEach, expect, it } from "vitest";
import { aSpan, pipelineSpans } from "../span-batches.js";
import { openFaultyStore, type FaultyStore } from "./faulty-database.js";

const TRACES = 600;
const NAMES = 5;

let faulty: FaultyStore;
afterEach(() => faulty.durable.close());

/** A store with traces of a few names, each of another session and user. */
async function storeOfManyTraces(): Promise<FaultyStore> {
  const opened = await openFaultyStore();
  const spans = Array.from({ length: TRACES }, (_, index) =>
    aSpan({
      trace_id: `trace ${index}`,
      name: `run ${index % NAMES}`,
      attributes: index % 3 === 0 ? {} : { session_id: `session ${index}`, user_id: `user ${index % 200}` },
    }),
  );
  await opened.durable.store.append(pipelineSpans(spans));
  await opened.durable.store.flush();
  return opened;
}

it.each(["session", "user", "name"])(
  "groups by %s read the names of traces page by page, not trace by trace",
  async (by) => {
    faulty = await storeOfManyTraces();
    let statements = 0;
    faulty.faults.onStatement = () => void statements++;
    const { groups, other } = await faulty.durable.store.groups({ by });
    faulty.faults.onStatement = undefined;
    expect(statements).toBeLessThan(30);

    const runs = groups.reduce((sum, group) => sum + group.runs, other?.runs ?? 0);
    expect(runs).toBe(TRACES);
    if (by === "name")
      expect(groups.map(({ value, runs: count }) => [value, count])).toEqual(
        Array.from({ length: NAMES }, (_, name) => [`run ${name}`, TRACES / NAMES]),
      );
    else expect(groups[0]).toMatchObject({ value: null, runs: TRACES / 3 });
  },
);
