import { startFromEnvironment } from "./configure.js";
import { recordingState, type Runtime } from "./runtime.js";

/**
 * The runtime to record with, or undefined if nothing is recorded. The first call without `configure()` configures from
 * the environment, or warns that the environment has no option.
 */
export function activeRuntime(): Runtime | undefined {
  if (recordingState.runtime === undefined && recordingState.phase === "initial") startFromEnvironment();
  return recordingState.runtime;
}
