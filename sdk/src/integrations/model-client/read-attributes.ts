/** Attributes read from a request or a response. The core converts them to JSON. */
export type ReadAttributes = Readonly<Record<string, unknown>>;

/** Leaves out attributes that are undefined or null. */
export function definedOnly(attributes: ReadAttributes): ReadAttributes {
  return Object.fromEntries(
    Object.entries(attributes).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** The list, or undefined if it is empty. */
export function nonEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length > 0 ? list : undefined;
}
