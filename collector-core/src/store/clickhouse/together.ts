/** Divides items into lists of few, each of at most a size in all, or with a single item. */
export function* together<Item>(
  items: readonly Item[],
  sizeOf: (item: Item) => number,
  maxSize: number,
): Generator<readonly Item[]> {
  let from = 0;
  let size = 0;
  for (const [at, item] of items.entries()) {
    const next = sizeOf(item);
    if (at > from && size + next > maxSize) {
      yield items.slice(from, at);
      from = at;
      size = 0;
    }
    size += next;
  }
  if (from < items.length) yield items.slice(from);
}
