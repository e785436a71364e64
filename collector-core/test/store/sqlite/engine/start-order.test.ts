import { expect, it, onTestFinished } from "vitest";
import type { TraceStore } from "../../../../src/interfaces.js";
import { aSpan, pipelineSpans } from "../../span-batches.js";
import { openDurableStore } from "../durable-store.js";

const BASE_MS = Date.UTC(2026, 0, 1);

/** Numbers from 0 to 1 that are the same in each run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** All pages of a list in order of start. */
async function startsOf(store: TraceStore, limit: number, query?: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await store.list({
      order: "start",
      limit,
      ...(cursor !== undefined && { cursor }),
      ...(query !== undefined && { query }),
    });
    ids.push(...page.traces.map(({ trace_id: id }) => id));
    if (page.nextCursor === null) return ids;
    cursor = page.nextCursor;
  }
}

it("lists a thousand traces by start, page by page, whatever order they arrive in, change and leave", async () => {
  const { store, close, reopen } = await openDurableStore();
  onTestFinished(close);
  const next = random(7);
  /** By trace id: the start, and the place of arrival. */
  const traces = new Map<string, { startMs: number; arrival: number; agent: string }>();
  const append = async (current: TraceStore, id: string, startMs: number): Promise<void> => {
    const known = traces.get(id);
    const agent = known?.agent ?? (next() < 0.02 ? "rare" : "common");
    traces.set(id, {
      startMs: Math.min(startMs, known?.startMs ?? startMs),
      arrival: known?.arrival ?? traces.size,
      agent,
    });
    await current.append(
      pipelineSpans([
        aSpan({ trace_id: id, start_time: BASE_MS + startMs, duration_ms: 1, attributes: { agent } }),
      ]),
    );
  };
  const expected = (isListed = (_agent: string): boolean => true): string[] =>
    [...traces]
      .filter(([, { agent }]) => isListed(agent))
      .toSorted(([, a], [, b]) => b.startMs - a.startMs || b.arrival - a.arrival)
      .map(([id]) => id);
  const check = async (current: TraceStore): Promise<void> => {
    expect(await startsOf(current, 97)).toEqual(expected());
    expect(await startsOf(current, 7, "agent:rare")).toEqual(expected((agent) => agent === "rare"));
    expect(await startsOf(current, 500, "-agent:rare")).toEqual(expected((agent) => agent !== "rare"));
  };

  // Mostly in order, some late, some of the same time; a file of old traces; then late spans and removals.
  // More than four blocks of 256 traces, of which the first loses all and the second most.
  for (let n = 0; n < 900; n++)
    await append(store, `t${n}`, next() < 0.1 ? Math.floor(next() * n * 10) : Math.floor(n / 3) * 30);
  await check(store);
  for (let n = 0; n < 200; n++) await append(store, `old${n}`, 5_000 - n * 7);
  await check(store);
  for (let n = 0; n < 60; n++) await append(store, `t${n * 13}`, Math.floor(next() * 5400));
  for (let from = 0; from < 450; from += 50) {
    const ids = Array.from({ length: 50 }, (_, index) => `t${from + index}`);
    await Promise.all(ids.map((traceId) => store.remove({ tenant: "", traceId })));
    for (const id of ids) traces.delete(id);
  }
  await check(store);
  const reopened = await reopen();
  await check(reopened);
  await append(reopened, "latest", 1_000_000);
  await append(reopened, "earliest", 0);
  expect((await reopened.list({ order: "start", limit: 1 })).traces[0]?.trace_id).toBe("latest");
  await check(reopened);
});
