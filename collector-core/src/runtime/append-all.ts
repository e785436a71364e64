/** Appends items to a list. `push(...items)` overflows the stack at about 125,000 items. */
export function appendAll<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}
