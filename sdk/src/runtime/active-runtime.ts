import { setLateLoader } from "../late-code.js";
import { startFromEnvironment } from "./configure.js";
import { recordingState, type Runtime } from "./runtime.js";

// Here, because each copy of the package in the process evaluates this file, and nothing that loads late imports it.
setLateLoader(() => import("../late.js").then(({ LATE_CODE }) => LATE_CODE));

/**
 * The runtime to record with, or undefined if nothing is recorded. The first call without `configure()` configures from
 * the environment, or warns that the environment has no option.
 */
export function activeRuntime(): Runtime | undefined {
  if (recordingState.runtime === undefined && recordingState.phase === "initial") startFromEnvironment();
  return recordingState.runtime;
}
