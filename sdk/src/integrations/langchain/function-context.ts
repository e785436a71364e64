import { runInContext } from "../../capture/integration.js";
import { field, textOf } from "../json-fields.js";
import { ignoringErrors, replaceMethod } from "../model-client/replace-method.js";
import { openRun } from "./run-tree.js";

/** Where LangChain keeps the storage of the config that its functions run with. */
const STORAGE = Symbol.for("ls:tracing_async_local_storage");
const CONFIG = Symbol.for("lc:child_config");

/**
 * Makes the span of a run the context of the app's functions in it: tools, lambdas and nodes of a graph. LangChain runs them
 * inside a storage of its own with the config of the run.
 */
export function followFunctions(): void {
  replaceMethod(
    Reflect.get(globalThis, STORAGE),
    "run",
    (original) =>
      function (this: unknown, ...args: unknown[]): unknown {
        const [store, callback, ...rest] = args;
        const node = ignoringErrors(() => openRun(runIdIn(store))?.node);
        if (node === undefined || typeof callback !== "function") return Reflect.apply(original, this, args);
        const inside = (...inner: unknown[]): unknown =>
          runInContext(node, () => Reflect.apply(callback, undefined, inner) as unknown);
        return Reflect.apply(original, this, [store, inside, ...rest]);
      },
  );
}

function runIdIn(store: unknown): string | undefined {
  const config: unknown = Reflect.get(Object(field(store, "extra")), CONFIG);
  return textOf(field(field(config, "callbacks"), "_parentRunId"));
}
