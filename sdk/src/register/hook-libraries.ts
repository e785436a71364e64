import { warnOnce } from "../capture/integration.js";
import type { HookState } from "../runtime/hook-states.js";
import { ignoringErrors } from "../integrations/model-client/replace-method.js";
import { hookModules, reportLoadedModules } from "./hook-modules.js";
import { LIBRARIES, type Library } from "./libraries.js";

/** The states of the libraries, by their names. */
export type LibraryStates = Record<Library["name"], HookState>;

/**
 * Hooks LangChain, MCP and Bedrock when the app loads them. Their integrations load then.
 *
 * @param states - gets the state of each library.
 */
export function hookLibraries(states: LibraryStates): void {
  const libraryAt = (url: string): Library | undefined => LIBRARIES.find(({ modules }) => modules.test(url));
  const hook = {
    isWanted: (url: string) => url.includes("/@") && libraryAt(url) !== undefined,
    onLoad(url: string, module: unknown): void {
      const library = libraryAt(url);
      if (library === undefined) return;
      if (library.hook(module, loadIntegration)) states[library.name] = "hooked";
      else hook.onMiss(url);
    },
    onMiss(url: string): void {
      const library = libraryAt(url);
      if (library === undefined) return;
      states[library.name] = "failed";
      const message = `@obspan/sdk/register cannot hook ${url}: use @obspan/sdk/${library.name} in the app's code.`;
      warnOnce(message, message);
    },
  };
  if (ignoringErrors(() => hookModules(hook)) !== true)
    for (const { name } of LIBRARIES) states[name] = "unsupported";
  reportLoadedModules(hook);
}

/** Loads an integration at once, because the app uses its library directly after this. Only CommonJS can be loaded at once. */
function loadIntegration(name: string): unknown {
  return process.getBuiltinModule("node:module").createRequire(import.meta.url)(`./${name}.cjs`);
}
