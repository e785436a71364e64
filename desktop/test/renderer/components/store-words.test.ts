import { describe, expect, it, test } from "vitest";
import {
  ageLimit,
  degradedWords,
  rebuildText,
  isInMemory,
  keptSince,
  limitsText,
  unsavedText,
  type StoreStatus,
} from "../../../src/renderer/components/store-words.js";

function store(fields: Partial<StoreStatus> = {}): StoreStatus {
  return {
    traces: 0,
    spans: 0,
    bytes: 0,
    max_traces: null,
    disk_bytes: 4096,
    disk_max_bytes: 1e10,
    ttl_seconds: 0,
    oldest_at: null,
    unsaved_spans: 0,
    state: "ok",
    rebuild_progress: null,
    reason: null,
    ...fields,
  };
}

test("traces without files are in memory", () => {
  expect(isInMemory(store({ disk_bytes: null }))).toBe(true);
  expect(isInMemory(store({ disk_bytes: 0 }))).toBe(false);
});

test("the oldest trace is named by its time today, else by its day", () => {
  const now = new Date(2026, 10, 22, 14, 30);
  expect(keptSince(null, now)).toBeUndefined();
  expect(keptSince(new Date(2026, 10, 22, 9, 5).toISOString(), now)).toBe("09:05");
  expect(keptSince(new Date(2026, 10, 12, 9, 5).toISOString(), now)).toBe("12 Nov");
});

test("an age limit is named in the longest unit that fits", () => {
  expect([0, 1, 90, 3600, 86_400, 1_209_600].map(ageLimit)).toEqual([
    "no limit",
    "1 second",
    "90 seconds",
    "1 hour",
    "1 day",
    "14 days",
  ]);
});

test("the limits are those of the store: of memory, of a disk, or none in ClickHouse", () => {
  const goFirst = "the oldest go first.";
  expect(limitsText(store({ disk_bytes: null, disk_max_bytes: null, max_traces: 1000 }))).toBe(
    `Traces do not expire. At the limit of traces or memory, ${goFirst}`,
  );
  expect(limitsText(store({ ttl_seconds: 3600 }))).toBe(
    `Traces expire 1 hour after their last span. At the limit of the disk, ${goFirst}`,
  );
  expect(limitsText(store({ max_traces: 1000 }))).toContain("At the limit of traces or the disk, ");
  const inClickHouse = { disk_max_bytes: null, ttl_seconds: 86_400 };
  expect(limitsText(store(inClickHouse))).toBe(
    "Traces expire 1 day after their last span. No number or size of them is a limit: ClickHouse keeps them.",
  );
});

test("lost spans are counted in words", () => {
  expect([0, 1, 1204].map(unsavedText)).toEqual([
    "",
    "1 span is lost so far.",
    "1,204 spans are lost so far.",
  ]);
});

describe("a degraded store", () => {
  it("is silent while the store is well", () => {
    expect(degradedWords(store())).toBeUndefined();
  });

  it("asks for space if the disk is full", () => {
    const words = degradedWords(store({ state: "degraded", reason: "The disk is full." }));
    expect(words).toMatchObject({ what: "New spans are not kept.", isLosing: true });
    expect(words?.remedy).toContain("Free some space");
  });

  it("says what a store in memory costs, once", () => {
    const reason = "Traces are kept in memory only. /data/traces.db cannot be read.";
    const words = degradedWords(store({ disk_bytes: null, state: "degraded", reason }));
    expect(words).toMatchObject({ reason: "/data/traces.db cannot be read.", isLosing: false });
    expect(words?.remedy).toContain("Set trace_store.path");
  });

  it("adds no advice to a reason that has it", () => {
    const reason =
      "The file is newer. Start the newer version, or set trace_store.path to another directory.";
    expect(degradedWords(store({ disk_bytes: null, state: "degraded", reason }))?.remedy).toBe("");
  });
});

describe("a store that rebuilds its index", () => {
  it("says how far it is and what is missing, and is silent otherwise", () => {
    expect(rebuildText(store())).toBeUndefined();
    expect(rebuildText(store({ rebuild_progress: 0.429 }))).toMatch(/^42 % done\. Older traces are missing/);
  });
});
