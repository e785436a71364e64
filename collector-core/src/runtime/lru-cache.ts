import { LRUCache } from "lru-cache";

/**
 * Creates a cache that keeps the most recently used entries. It allocates memory as it fills. With the option `max` the
 * package would allocate room for all entries at once: a millisecond and 600 KB for 10,000.
 */
export function createLruCache<Key extends string | number, Value extends object | string | number | boolean>(
  maxEntries: number,
): LRUCache<Key, Value> {
  return new LRUCache({ maxSize: maxEntries, sizeCalculation: () => 1 });
}
