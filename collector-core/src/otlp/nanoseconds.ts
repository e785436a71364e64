import type { Instant } from "../span/timestamp.js";

/** 9999-12-31T23:59:59.999999999Z, the last moment that RFC 3339 can write. */
const MAX_NANOSECONDS = 253_402_300_799_999_999_999n;

/** A moment as OTLP has it; undefined where it is 0, which means that it is not known, or after 9999. */
export function instantOf(unixNano: bigint): Instant | undefined {
  if (unixNano <= 0n || unixNano > MAX_NANOSECONDS) return undefined;
  const epochMs = unixNano / 1_000_000n;
  return { epochMs: Number(epochMs), nanos: Number(unixNano - epochMs * 1_000_000n) };
}

/** A moment as OTLP has it. */
export function nanosecondsOf({ epochMs, nanos }: Instant): bigint {
  return BigInt(epochMs) * 1_000_000n + BigInt(nanos);
}
