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

/** True where spans are recorded: configured, and not turned off. */
export function isRecording(): boolean {
  return activeRuntime() !== undefined;
}

/** False where no text of a prompt may be kept, so that an integration need not read it. */
export function capturesPrompt(): boolean {
  return activeRuntime()?.policy.capturesPrompt === true;
}

/** False where no text of an answer may be kept. */
export function capturesCompletion(): boolean {
  return activeRuntime()?.policy.capturesCompletion === true;
}
