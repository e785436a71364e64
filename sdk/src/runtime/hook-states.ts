import { processWide } from "../process-wide.js";

/**
 * The state of a hook of `@obspan/sdk/register`:
 * - `hooked`: what the app calls through it is recorded.
 * - `waiting`: the app has not loaded the library since the start of the hook.
 * - `failed`: it is not in place; a warning on the console said why.
 * - `unsupported`: the runtime has no `module.registerHooks()` that can be used.
 */
export type HookState = "hooked" | "waiting" | "failed" | "unsupported";

/** The states of the hooks of `@obspan/sdk/register`, by what they hook. */
export type HookStates = Readonly<Record<"fetch" | "ai-sdk" | "langchain" | "mcp" | "bedrock", HookState>>;

/** The states for `stats()`; without a value unless `@obspan/sdk/register` was loaded. */
export function hookStates(): { hooks?: HookStates } {
  return processWide<{ hooks?: HookStates }>("hooks", Object);
}
