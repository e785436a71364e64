/** Decides per trace: a trace is stored and exported whole or not at all (spec 4.9 rule 1). */
export interface TraceSampler {
  shouldKeep(traceId: string): boolean;
}

/**
 * Keeps each trace with probability `rate`. The decision depends only on a hash of the trace id, so all spans of a
 * trace get the same decision, in every process and after every restart.
 *
 * @param rate - `sampling.rate`, 0 to 1.
 */
export function createTraceSampler(rate: number): TraceSampler {
  if (rate >= 1) return { shouldKeep: () => true };
  if (rate <= 0) return { shouldKeep: () => false };
  const threshold = rate * 2 ** 32;
  return { shouldKeep: (traceId) => hash32(traceId) < threshold };
}

/** FNV-1a over the UTF-16 code units, then MurmurHash3's finalizer for an even distribution over 32 bits. */
function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
