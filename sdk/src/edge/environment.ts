interface Globals {
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
}

/** The environment variables, in a runtime that has them. */
export function readEnvironment(): Readonly<Record<string, string | undefined>> {
  return (globalThis as Globals).process?.env ?? {};
}
