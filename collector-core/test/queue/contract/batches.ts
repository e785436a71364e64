import type { IngestQueue, Lease, ReceivedBatch } from "../../../src/interfaces.js";

/** Limits of a small queue. */
export const LIMITS = {
  capacitySpans: 100,
  capacityBytes: 1_000_000,
  softLimitPct: 80,
  hardLimitPct: 95,
  mode: "reject",
} as const;

/** A batch of spans named `first`, `first + 1`, … */
export function batch(first: number, count: number, padding = 0, batchId?: string): ReceivedBatch {
  const spans = Array.from({ length: count }, (_, index) => ({
    name: String(first + index),
    trace_id: "t",
    ...(padding > 0 ? { attributes: { text: "x".repeat(padding) } } : {}),
  }));
  return {
    parts: [
      { from: 0, context: { tenant: "", service: "s", env: "e", version: undefined, receivedAtMs: 0 } },
    ],
    batchId,
    spanCount: count,
    body: Buffer.from(JSON.stringify({ spans })),
    spans,
    generatedSpanIds: undefined,
  };
}

export function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

/** The names of the spans of a lease. */
export function namesOf({ ranges }: Lease): number[] {
  return ranges.flatMap(({ batch: { spans }, from, to }) =>
    spans.slice(from, to).map(({ name }) => Number(name)),
  );
}

/** Takes and acknowledges spans, and returns their names. */
export async function takeNames(queue: IngestQueue, max: number): Promise<number[]> {
  const lease = queue.take(max);
  await lease.ack();
  return namesOf(lease);
}
