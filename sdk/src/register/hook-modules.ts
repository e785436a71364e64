import { elementsOf } from "../integrations/json-fields.js";
import { isOnlyResolved } from "./call-sites.js";
import { isWrapperUrl, setOnLoad, wrapperUrl } from "./wrapper-module.js";

/** What `module.registerHooks()` passes to a resolve hook, and gets from it. */
interface Context {
  readonly parentURL?: string | undefined;
  readonly conditions?: unknown;
}
interface Resolved {
  readonly url: string;
  readonly format?: unknown;
  readonly shortCircuit?: boolean;
}
type Resolve = (specifier: string, context: Context) => Resolved;

/** Which modules are reported, and to whom. */
export interface ModuleHook {
  /** Decides by the URL of a module, without its query. */
  readonly isWanted: (url: string) => boolean;
  /** Gets each wanted module when it has been evaluated, before the code that loads it uses it. May throw. */
  readonly onLoad: (url: string, module: unknown) => void;
  /** Gets the URL of a wanted module that cannot be reported. */
  readonly onMiss: (url: string) => void;
}

// Modules of Node that nothing has imported yet take a millisecond each to import.
const nodeModule = process.getBuiltinModule("node:module");

/** What newer versions of Node have than the types. */
const { registerHooks } = nodeModule as {
  registerHooks?: (hooks: {
    resolve: (specifier: string, context: Context, nextResolve: Resolve) => Resolved;
  }) => void;
};

/** Any base works for absolute paths. */
const require = nodeModule.createRequire(process.execPath);

/**
 * Reports modules that the app loads from now on, by `import` and by `require`. What the app loads stays as it is: a hook
 * that fails has no effect.
 *
 * - An import leads to a wrapper module, which imports the module itself.
 * - A module that is required is required by the hook, at the same moment. The app gets it from the cache of Node.
 *
 * @returns false if the runtime has no `module.registerHooks()` that can be used: Node has it since 22.15.
 */
export function hookModules(hook: ModuleHook): boolean {
  // In Deno with a hook, `require()` fails for every ES module with imports.
  if (registerHooks === undefined || "deno" in process.versions) return false;
  const { isWanted, onMiss } = hook;
  setOnLoad((url, module) => report(hook, url, module));
  /** Files that are being required here. */
  const loading = new Set<string>();

  function requireAndReport(url: string): void {
    const file = process.getBuiltinModule("node:url").fileURLToPath(url);
    if (loading.has(file)) return;
    loading.add(file);
    try {
      const exports: unknown = require(file);
      // In a cycle of modules it has no exports yet. The one that loads it reports it.
      if (require.cache[file]?.loaded !== false) report(hook, url, exports);
    } finally {
      loading.delete(file);
    }
  }

  const resolve = (specifier: string, context: Context, nextResolve: Resolve): Resolved => {
    if (isWrapperUrl(context.parentURL)) return { url: specifier, shortCircuit: true };
    const resolved = nextResolve(specifier, context);
    try {
      const [url = ""] = resolved.url.split(/[?#]/, 1);
      if (!isWanted(url) || isOnlyResolved()) return resolved;
      if (elementsOf(context.conditions).includes("require")) requireAndReport(url);
      else {
        const wrapper = wrapperUrl(resolved.url, resolved.format);
        if (wrapper !== undefined) return { url: wrapper, format: "module", shortCircuit: true };
        onMiss(url);
      }
    } catch {
      // The module throws when it is loaded: the app gets the error where it loads it.
    }
    return resolved;
  };
  registerHooks({ resolve });
  return true;
}

/** Reports the wanted modules of CommonJS that were loaded before. */
export function reportLoadedModules(hook: ModuleHook): void {
  for (const [file, module] of Object.entries(require.cache)) {
    const url = file.replaceAll("\\", "/");
    if (module?.loaded === true && hook.isWanted(url)) report(hook, url, module.exports);
  }
}

function report({ onLoad, onMiss }: ModuleHook, url: string, module: unknown): void {
  try {
    onLoad(url, module);
  } catch {
    onMiss(url);
  }
}
