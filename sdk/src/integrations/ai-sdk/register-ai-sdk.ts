import { field } from "../json-fields.js";
import { prepareEntering } from "./enter-span.js";
import { createTelemetry6 } from "./telemetry-6.js";
import { createTelemetry7 } from "./telemetry-7.js";

/** Marks the integration, also for other copies of this package in the same process. */
const MARK = Symbol.for("obspan.ai-sdk");

/**
 * Records the calls of the AI SDK, version 6 or 7: every `generateText()`, `streamText()`, `embed()`, agent and the like in
 * this process, with its steps, model calls and tools. Streams stay untouched. Calling it again has no effect.
 *
 * Version 6 reports no embeddings, no errors and no time to the first token. `obspanTracer()` records them, call by call.
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
  const holder = globalThis as { AI_SDK_TELEMETRY_INTEGRATIONS?: unknown };
  const registered: unknown = holder.AI_SDK_TELEMETRY_INTEGRATIONS;
  const integrations: object[] = Array.isArray(registered) ? (registered as object[]) : [];
  holder.AI_SDK_TELEMETRY_INTEGRATIONS = integrations;
  // Version 6 calls the integrations one after the other. Only the first can bind the context of what follows.
  if (integrations.some((other) => MARK in other)) return;
  prepareEntering();
  integrations.unshift(createIntegration());
}

/**
 * The object that the AI SDK calls. It reads each callback once for an operation. Version 6 gives its events no id: the
 * callbacks that it reads after `onStart` belong to the same operation.
 */
function createIntegration(): object {
  const { callbacks, executeLanguageModelCall, executeTool } = createTelemetry7();
  let operation6 = createTelemetry6();
  const integration: object = { [MARK]: true, executeLanguageModelCall, executeTool };
  for (const name of new Set([...Object.keys(callbacks), ...Object.keys(operation6)])) {
    Object.defineProperty(integration, name, {
      enumerable: true,
      get() {
        if (name === "onStart") operation6 = createTelemetry6();
        const own = operation6;
        const lifetime = {};
        return (event: unknown): void => {
          try {
            // Events of version 6 have no id.
            (field(event, "callId") === undefined ? own : callbacks)[name]?.(event, lifetime);
          } catch {
            // Recording must not disturb the app.
          }
        };
      },
    });
  }
  return integration;
}
