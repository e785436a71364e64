import { describe, expect, it } from "vitest";
import { createMemoryQueue } from "../../src/queue/memory-queue.js";
import { withoutRepeats } from "../../src/queue/without-repeats.js";
import { batch, LIMITS } from "./contract/batches.js";

function queueOf(limits: { readonly capacitySpans?: number } = {}) {
  const queue = createMemoryQueue({
    ...LIMITS,
    capacitySpans: 1_000_000,
    capacityBytes: 1e9,
    ...limits,
    onLevel: () => undefined,
  });
  const deduplicated = withoutRepeats(queue, { monotonic: () => 0 });
  return (batchId: string, tenant = "", service = "s") => {
    const one = batch(0, 1);
    const context = { ...one.parts[0].context, tenant, service };
    const admission = deduplicated.offer({ ...one, batchId, parts: [{ from: 0, context }] });
    return admission instanceof Promise ? admission : admission.type;
  };
}

describe("contract 1: admits a batch once", () => {
  it("remembers the last 10,000 batches and mistakes no new one for them", () => {
    const offer = queueOf();
    const ids = Array.from({ length: 50_000 }, (_, id) => String(id));
    expect(ids.filter((id) => offer(id) !== "accepted")).toEqual([]);
    expect(ids.slice(-10_000).filter((id) => offer(id) !== "repeated")).toEqual([]);
  });

  it("distinguishes batches by tenant, service and id", () => {
    const offer = queueOf();
    const keys = ["a", "b"].flatMap((tenant) =>
      ["", "a", "b"].flatMap((service) => ["1", "a1"].map((id) => [id, tenant, service] as const)),
    );
    expect(keys.map((key) => offer(...key))).toEqual(keys.map(() => "accepted"));
    expect(keys.map((key) => offer(...key))).toEqual(keys.map(() => "repeated"));
  });

  it("admits a repeated batch if the first one was refused", () => {
    const offer = queueOf({ capacitySpans: 1 });
    expect([offer("a"), offer("b"), offer("b"), offer("a")]).toEqual([
      "accepted",
      "queue_full",
      "queue_full",
      "repeated",
    ]);
  });
});
