import { getHeapStatistics } from "node:v8";

const MOST_BYTES = 512 * 2 ** 20;

/** The default of `limits.max_in_flight_bytes`: the smaller of 512 MiB and a quarter of what the heap may grow to. */
export function defaultInFlightBytes(): number {
  return Math.min(MOST_BYTES, Math.floor(getHeapStatistics().heap_size_limit / 4));
}
