/**
 * Records the model calls of an app without a change of its code:
 *
 * ```sh
 * OBS_PUSH_URL=http://127.0.0.1:8080 node --import @obspan/sdk/register app.js
 * ```
 *
 * It hooks `fetch`, the AI SDK, and LangChain, MCP and Amazon Bedrock where Node has `module.registerHooks()`. `stats().hooks`
 * says what is hooked.
 *
 * @packageDocumentation
 */
import { registerTelemetry } from "../integrations/ai-sdk/telemetry-registration.js";
import { hookFetch } from "../integrations/fetch/hook-fetch.js";
import { ignoringErrors } from "../integrations/model-client/replace-method.js";
import { hookStates, type HookStates } from "../runtime/hook-states.js";
import { hookLibraries } from "./hook-libraries.js";

type States = { -readonly [Name in keyof HookStates]: HookStates[Name] };

function register(): void {
  const hosts = (process.env["OBS_PROVIDER_HOSTS"] ?? "")
    .split(",")
    .map((host) => host.trim())
    .filter((host) => host !== "");
  const states: States = {
    fetch: "failed",
    "ai-sdk": "failed",
    langchain: "waiting",
    mcp: "waiting",
    bedrock: "waiting",
  };
  hookStates().hooks = states;
  const fetchHook = hookFetch(hosts);
  if (fetchHook !== undefined) states.fetch = "hooked";
  ignoringErrors(() => {
    registerTelemetry(() => import("../integrations/ai-sdk/telemetry.js").then((code) => code.TELEMETRY));
    states["ai-sdk"] = "hooked";
  });
  ignoringErrors(() => hookLibraries(states));
  if (process.env["OBS_DEBUG"] !== "true") return;
  process.once("exit", () => {
    const requests = Array.from(fetchHook?.recorded ?? [], ([host, count]) => `${host} ${count}`).join(", ");
    const hooks = Object.entries(states).map(([name, state]) => `${name} ${state}`);
    console.error(`[obspan] Hooks: ${hooks.join(", ")}. Recorded requests: ${requests || "none"}.`);
  });
}

// An app may load it twice, as ESM and as CommonJS.
if (hookStates().hooks === undefined) register();
