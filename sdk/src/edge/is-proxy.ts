interface Globals {
  readonly process?: {
    getBuiltinModule?(
      name: string,
    ): { readonly types?: { isProxy?: (value: unknown) => boolean } } | undefined;
  };
}

/** False in a runtime that cannot tell, such as a browser: traps of a Proxy run there when it is recorded. */
export const isProxy: (value: unknown) => boolean =
  (globalThis as Globals).process?.getBuiltinModule?.("node:util")?.types?.isProxy ?? (() => false);
