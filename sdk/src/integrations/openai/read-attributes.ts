/** Attributes as they were read off a request or a response; the core makes them fit for JSON. */
export type ReadAttributes = Readonly<Record<string, unknown>>;

/** The attributes that have a value. */
export function defined(attributes: ReadAttributes): ReadAttributes {
  return Object.fromEntries(
    Object.entries(attributes).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** The list, or undefined where there is nothing in it: an empty attribute says nothing. */
export function someOf<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length > 0 ? list : undefined;
}
