/** A copy of an object without one of its keys. */
export function omit<T extends object, Key extends keyof T>(object: T, key: Key): Omit<T, Key> {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key)) as Omit<T, Key>;
}
