import type { Instant } from "../span/timestamp.js";

/** Splits a BigInt into two numbers: a BigInt division takes four times as long, and every span has two times. */
const halves = new DataView(new ArrayBuffer(8));

/**
 * Converts an OTLP time; undefined for 0, which means unknown.
 *
 * @param unixNano - unsigned 64-bit nanoseconds, which end in the year 2554.
 */
export function instantOf(unixNano: bigint): Instant | undefined {
  halves.setBigUint64(0, unixNano);
  const high = halves.getUint32(0);
  const low = halves.getUint32(4);
  if (high === 0 && low === 0) return undefined;
  // Stays below 2^53: only the remainder of the high half modulo a million is combined with the low half.
  const millions = Math.floor(high / 1e6);
  const nanos = (high - millions * 1e6) * 2 ** 32 + low;
  const ms = Math.floor(nanos / 1e6);
  return { epochMs: millions * 2 ** 32 + ms, nanos: nanos - ms * 1e6 };
}

/** Converts a time to OTLP. */
export function nanosecondsOf({ epochMs, nanos }: Instant): bigint {
  return BigInt(epochMs) * 1_000_000n + BigInt(nanos);
}
