/** Adds items to a list. As arguments of one call (`push(...items)`) 125,000 of them overflow the stack. */
export function appendAll<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}
