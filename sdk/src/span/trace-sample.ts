import { textHash } from "./text-hash.js";

/**
 * Whether a trace belongs to the share that is kept. The collector decides by the same hash of the trace id: a trace that is
 * kept at a small share is also kept at every larger one.
 *
 * @param rate - the share, 0 to 1.
 */
export function isTraceSampled(traceId: string, rate: number): boolean {
  return textHash(traceId) < rate * 2 ** 32;
}
