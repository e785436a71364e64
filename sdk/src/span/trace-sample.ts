/**
 * Whether a trace belongs to the share that is kept. The collector decides by the same hash of the trace id: a trace that is
 * kept at a small share is also kept at every larger one.
 *
 * @param rate - the share, 0 to 1.
 */
export function isTraceSampled(traceId: string, rate: number): boolean {
  // FNV-1a over the UTF-16 code units, then MurmurHash3's finalizer for an even distribution over 32 bits.
  let hash = 0x811c9dc5;
  for (let index = 0; index < traceId.length; index++)
    hash = Math.imul(hash ^ traceId.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0 < rate * 2 ** 32;
}
