interface Globals {
  readonly process?: { getBuiltinModule?(name: string): unknown };
}

/** A module of Node, in a runtime that has it. */
export function builtinModule(name: "node:async_hooks" | "node:util"): unknown {
  try {
    // A name that a bundler does not replace or warn about.
    return (globalThis as Globals).process?.getBuiltinModule?.(name);
  } catch {
    // The edge runtime of Next.js has the functions of `process`, but they throw.
    return undefined;
  }
}
