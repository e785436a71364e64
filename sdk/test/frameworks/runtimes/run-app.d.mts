import type { Runtime } from "./cells.mjs";

/** The path of the program of a runtime, which npx installs. */
export function programOf(runtime: Runtime): Promise<string>;
