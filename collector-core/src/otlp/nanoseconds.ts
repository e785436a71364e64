import type { Instant } from "../span/timestamp.js";

/** Divided by hand: every span has two, and a division of BigInts costs four times as much. */
const halves = new DataView(new ArrayBuffer(8));

/**
 * A moment as OTLP has it; undefined where it is 0, which means that it is not known.
 *
 * @param unixNano - of 64 bits without a sign, which end in the year 2554.
 */
export function instantOf(unixNano: bigint): Instant | undefined {
  halves.setBigUint64(0, unixNano);
  const high = halves.getUint32(0);
  const low = halves.getUint32(4);
  if (high === 0 && low === 0) return undefined;
  // No number here is beyond 2^53: of the high half only what a million leaves is put before the low one.
  const millions = Math.floor(high / 1e6);
  const nanos = (high - millions * 1e6) * 2 ** 32 + low;
  const ms = Math.floor(nanos / 1e6);
  return { epochMs: millions * 2 ** 32 + ms, nanos: nanos - ms * 1e6 };
}

/** A moment as OTLP has it. */
export function nanosecondsOf({ epochMs, nanos }: Instant): bigint {
  return BigInt(epochMs) * 1_000_000n + BigInt(nanos);
}
