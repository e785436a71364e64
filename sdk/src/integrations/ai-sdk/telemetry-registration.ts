import { isRecording, prepareEntering } from "../../capture/integration.js";
import { field } from "../json-fields.js";
import { ignoringErrors } from "../model-client/replace-method.js";
import type { Execution, Telemetry, TelemetryCallbacks } from "./telemetry-callbacks.js";

/** Marks the integration, also for other copies of this package in the same process. */
const MARK = Symbol.for("obspan.ai-sdk");

/**
 * Adds the integration to those that the AI SDK calls for every operation in this process. Has no effect if it is there.
 *
 * @param load - loads the code that records, with the first operation.
 * @param telemetry - the code, if it is loaded.
 */
export function registerTelemetry(load: () => Promise<Telemetry>, telemetry?: Telemetry): void {
  const holder = globalThis as { AI_SDK_TELEMETRY_INTEGRATIONS?: unknown };
  const registered: unknown = holder.AI_SDK_TELEMETRY_INTEGRATIONS;
  const integrations: object[] = Array.isArray(registered) ? (registered as object[]) : [];
  holder.AI_SDK_TELEMETRY_INTEGRATIONS = integrations;
  // Version 6 calls the integrations one after the other. Only the first can bind the context of what follows.
  if (integrations.some((other) => MARK in other)) return;
  prepareEntering();
  integrations.unshift(createIntegration(load, telemetry));
}

/**
 * The object that the AI SDK calls. It reads each callback once for an operation. Version 6 gives its events no id: the
 * callbacks that it reads after `onStart` belong to the same operation.
 */
function createIntegration(load: () => Promise<Telemetry>, telemetry: Telemetry | undefined): object {
  let loading: Promise<void> | undefined;

  /** The AI SDK waits for what its callbacks return: a promise until the code is loaded. */
  function withTelemetry(use: (code: Telemetry) => void): Promise<void> | undefined {
    if (telemetry === undefined && isRecording()) {
      loading ??= load().then(
        (code) => void (telemetry = code),
        () => undefined,
      );
      return loading.then(() => void (telemetry && withTelemetry(use)));
    }
    ignoringErrors(() => telemetry && use(telemetry));
    return undefined;
  }

  /** The callbacks of the operation of version 6 that starts. */
  let operation6: { callbacks?: TelemetryCallbacks } = {};
  const hooks = {
    [MARK]: true,
    executeLanguageModelCall: <T>(execution: Execution<T>) =>
      telemetry?.version7.executeLanguageModelCall(execution) ?? execution.execute(),
    executeTool: <T>(execution: Execution<T>) =>
      telemetry?.version7.executeTool(execution) ?? execution.execute(),
  };
  return new Proxy(hooks, {
    // The names of the callbacks are known when the code is loaded.
    get(target, name) {
      if (typeof name === "symbol" || !name.startsWith("on")) return Reflect.get(target, name) as unknown;
      if (name === "onStart") operation6 = {};
      const own = operation6;
      const lifetime = {};
      return (event: unknown) =>
        withTelemetry(({ version7, createTelemetry6 }) => {
          // Events of version 6 have no id.
          const isVersion6 = field(event, "callId") === undefined;
          const callbacks = isVersion6 ? (own.callbacks ??= createTelemetry6()) : version7.callbacks;
          callbacks[name]?.(event, lifetime);
        });
    },
  });
}
