import { AsyncLocalStorage } from "node:async_hooks";
import type { ContextNode } from "./context.js";
import type { Runtime } from "./runtime.js";

/**
 * All that the SDK keeps for the process. One app can load the package twice, as ESM and as CommonJS: both copies find
 * this object under one global symbol, so that a span made by one has its parent and its configuration in the other.
 * The symbol carries the major version; within it, fields are only added.
 */
export interface SharedState {
  readonly context: AsyncLocalStorage<ContextNode | undefined>;
  /** Present while spans are recorded. */
  runtime: Runtime | undefined;
  /**
   * `unconfigured`: nothing has been said yet. `bare`: a wrapped call came, the environment says nothing, and one
   * warning was given; `configure()` is still possible. `frozen`: configured, or turned off by a bad variable.
   */
  phase: "unconfigured" | "bare" | "frozen";
}

const KEY = Symbol.for("obspan.sdk.v0");

const holder = globalThis as Record<symbol, SharedState | undefined>;

/** The one state of this process. */
export const sharedState: SharedState = (holder[KEY] ??= {
  context: new AsyncLocalStorage(),
  runtime: undefined,
  phase: "unconfigured",
});
