import { expect, it, onTestFinished } from "vitest";
import { EvictedKeys } from "../../../../src/store/sqlite/engine/evicted-keys.js";
import { openTraceFile } from "../../../../src/store/sqlite/open-trace-file.js";
import { temporaryDirectory } from "../temporary-directory.js";

const EVICTED = { before: { chunk: 1, ordinal: 2 }, chunks: [1] };
const hashOf = (n: number) => ({ lo: n, hi: 7 });

it("remembers the keys that were evicted last, at most 250 more than it has to", () => {
  const { db, close } = openTraceFile(temporaryDirectory(), { createdAtMs: 1, onEvent: () => undefined });
  onTestFinished(() => close());
  const keys = new EvictedKeys(db, { count: 0, maxKeys: 1000, onDamaged: () => undefined });
  // Some are evicted several times.
  for (let n = 0; n < 5000; n++) keys.add(hashOf(n % 100 === 0 ? 0 : n), n, EVICTED);
  const count = (): number => Number(db.prepare("SELECT count(*) AS n FROM evicted").get()?.["n"]);
  expect(count()).toBeGreaterThanOrEqual(1000);
  expect(count()).toBeLessThanOrEqual(1250);
  const found = Array.from({ length: 5000 }, (_, n) => n).filter((n) => keys.find(hashOf(n)) !== undefined);
  expect(found).toContain(0);
  expect(found.slice(1, -1)).toEqual(found.slice(1, -1).sort((a, b) => a - b));
  expect(found[1]).toBeGreaterThan(3500);
  expect(found).toContain(4999);
  expect(keys.count).toBe(count());
  // The next process goes on.
  const next = new EvictedKeys(db, { count: keys.count, maxKeys: 1000, onDamaged: () => undefined });
  for (let n = 5000; n < 5300; n++) next.add(hashOf(n), n, EVICTED);
  expect(count()).toBeLessThanOrEqual(1250);
  const plan = db.prepare("EXPLAIN QUERY PLAN SELECT key_hash FROM evicted ORDER BY at_ms LIMIT 250").all();
  expect(JSON.stringify(plan)).toContain("evicted_by_time");
});
