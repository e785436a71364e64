import { describe, expect, it, vi } from "vitest";
import { createBatchDeduplicator } from "../../src/ingest/batch-deduplicator.js";

const clock = { monotonic: () => 0 };

function key(batchId: number | string) {
  return { tenant: "", service: "shop", batchId: String(batchId) };
}

describe("contract 1: admits a batch once", () => {
  it("remembers the last 10,000 batches and mistakes no new one for them", () => {
    const batches = createBatchDeduplicator(clock);
    const count = 50_000;
    const ids = Array.from({ length: count }, (_, id) => id);
    const isNew = (id: number) => batches.once(key(id), () => undefined);
    expect(ids.filter((id) => isNew(id) === true)).toHaveLength(count);
    expect(ids.slice(-10_000).filter((id) => isNew(id) !== false)).toEqual([]);
  });

  it("distinguishes batches by tenant, service and id", () => {
    const batches = createBatchDeduplicator(clock);
    const keys = ["a", "b"].flatMap((tenant) =>
      ["", "a", "b"].flatMap((service) => ["1", "a1"].map((batchId) => ({ tenant, service, batchId }))),
    );
    expect(keys.map((each) => batches.once(each, () => undefined))).toEqual(keys.map(() => true));
    expect(keys.map((each) => batches.once(each, () => undefined))).toEqual(keys.map(() => false));
  });

  it("makes a repeated batch wait for a pending admission", async () => {
    const batches = createBatchDeduplicator(clock);
    let settle = (): void => undefined;
    const first = batches.once(key("b1"), () => new Promise<void>((resolve) => (settle = resolve)));
    const admitAgain = vi.fn();
    const repeat = batches.once(key("b1"), admitAgain);
    settle();
    expect(await first).toBe(true);
    expect(await repeat).toBe(false);
    expect(admitAgain).not.toHaveBeenCalled();
  });

  it("admits a repeated batch if the first admission failed, synchronously or later", async () => {
    const batches = createBatchDeduplicator(clock);
    const fail = (): never => {
      throw new Error("full");
    };
    expect(() => batches.once(key("b1"), fail)).toThrow("full");
    const first = batches.once(key("b1"), () => Promise.reject(new Error("full")));
    const repeat = batches.once(key("b1"), () => undefined);
    await expect(first).rejects.toThrow("full");
    expect(await repeat).toBe(true);
    expect(batches.once(key("b1"), () => undefined)).toBe(false);
  });
});
