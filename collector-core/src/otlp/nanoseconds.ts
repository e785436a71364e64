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

/** The last millisecond that ends within 2^64 nanoseconds, in the year 2554. */
const MAX_EPOCH_MS = Number(2n ** 64n / 1_000_000n) - 1;

/** False for the start of 1970, which is 0 nanoseconds, and for times from the year 2554 on. */
export function isOtlpTime({ epochMs, nanos }: Instant): boolean {
  return epochMs <= MAX_EPOCH_MS && (epochMs > 0 || nanos > 0);
}

/** Converts a time to OTLP; 0, which means unknown, if OTLP cannot represent it. */
export function unixNanoOf(instant: Instant): bigint {
  return isOtlpTime(instant) ? BigInt(instant.epochMs) * 1_000_000n + BigInt(instant.nanos) : 0n;
}
