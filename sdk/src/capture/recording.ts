import { startFromEnvironment } from "../config/configure.js";
import type { Runtime } from "./runtime.js";
import { sharedState } from "./shared-state.js";

/**
 * What recording needs, or undefined where nothing is recorded. The first call without `configure()` configures from the
 * environment, or warns that it says nothing.
 */
export function activeRuntime(): Runtime | undefined {
  if (sharedState.runtime === undefined && sharedState.phase === "unconfigured") startFromEnvironment();
  return sharedState.runtime;
}
