/** The major version is part of the key; within it, values are only added. */
const KEY = Symbol.for("obspan.sdk.v0");

/**
 * A value that every copy of this package in the process shares. An app can load the package twice, as ESM and as
 * CommonJS; a span that one copy made must find its parent and its configuration in the other.
 *
 * @param create - makes the value the first time that any copy asks for it.
 */
export function processWide<T>(name: string, create: () => T): T {
  const values = ((globalThis as Record<symbol, Record<string, unknown> | undefined>)[KEY] ??= {});
  return (values[name] ??= create()) as T;
}
