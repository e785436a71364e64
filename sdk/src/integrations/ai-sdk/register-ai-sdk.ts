import { TELEMETRY } from "./telemetry.js";
import { registerTelemetry } from "./telemetry-registration.js";

/**
 * Records the calls of the AI SDK, version 6 or 7: every `generateText()`, `streamText()`, `embed()`, agent and the like in
 * this process, with its steps, model calls and tools. Streams stay untouched. Calling it again has no effect.
 *
 * Version 6 reports no errors and no time to the first token: they are read from its requests with `fetch`. It reports no
 * embeddings and no objects: `obspanTracer()` records them, call by call.
 * Calls with `telemetry: { isEnabled: false }`, or with `telemetry.integrations` of their own in version 7, are not recorded.
 *
 * @example
 * ```ts
 * import { configure } from "@obspan/sdk";
 * import { registerAISDK } from "@obspan/sdk/ai-sdk";
 *
 * configure({ service: "shop", pushUrl: "http://127.0.0.1:8080" });
 * registerAISDK();
 * ```
 */
export function registerAISDK(): void {
  registerTelemetry(() => Promise.resolve(TELEMETRY), TELEMETRY);
}
