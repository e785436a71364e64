import { builtinModule } from "./builtin-module.js";

type Util = { readonly types?: { isProxy?: (value: unknown) => boolean } } | undefined;

/** False in a runtime that cannot tell, such as a browser: traps of a Proxy run there when it is recorded. */
export const isProxy: (value: unknown) => boolean =
  (builtinModule("node:util") as Util)?.types?.isProxy ?? (() => false);
