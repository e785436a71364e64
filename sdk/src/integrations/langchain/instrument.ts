import { isRecording, warnOnce } from "../../capture/integration.js";
import { elementsOf, field, member, textOf } from "../json-fields.js";
import { ignoringErrors, replaceMethod } from "../model-client/replace-method.js";
import { HANDLER_NAME, ObspanCallbackHandler } from "./callback-handler.js";
import { abortRun } from "./run-tree.js";

/** Ends runs whose stream nobody can read any more. LangChain does not report a stream that is not read to its end. */
const unreachableRuns = new FinalizationRegistry<string>(abortRun);

/**
 * Records every run of LangChain and LangGraph, without callbacks in the app's code. The app passes LangChain's module; nothing
 * is imported here. Calling it again has no effect.
 *
 * @param callbackManagerModule - the module `@langchain/core/callbacks/manager`. An app that loads LangChain both as ESM and
 * as CommonJS passes both.
 * @returns true if the runs are recorded. False if the module has no `CallbackManager`; one warning says so.
 *
 * @example
 * ```ts
 * import * as callbackManager from "@langchain/core/callbacks/manager";
 *
 * instrumentLangChain(callbackManager);
 * ```
 */
export function instrumentLangChain(callbackManagerModule: object): boolean {
  const manager = member(callbackManagerModule, "CallbackManager");
  if (typeof member(manager, "_configureSync") !== "function") {
    warnOnce(
      "langchain",
      "instrumentLangChain() needs the module @langchain/core/callbacks/manager: nothing of LangChain is recorded.",
    );
    return false;
  }
  const handler = new ObspanCallbackHandler();
  replaceMethod(
    manager,
    "_configureSync",
    (original) =>
      function (this: unknown, ...args: unknown[]): unknown {
        if (!isRecording()) return Reflect.apply(original, this, args);
        const [inherited, local, ...rest] = args;
        const hasHandlers = Boolean(inherited) || Boolean(local);
        const configured = Reflect.apply(original, this, hasHandlers ? args : [[handler], local, ...rest]);
        ignoringErrors(() => addHandler(configured, handler));
        return configured;
      },
  );
  return true;
}

function addHandler(manager: unknown, handler: ObspanCallbackHandler): void {
  const add = member(manager, "addHandler");
  if (typeof add !== "function") return;
  if (!elementsOf(field(manager, "handlers")).some((other) => member(other, "name") === HANDLER_NAME))
    add.call(manager, handler, true);
  for (const method of ["handleChatModelStart", "handleLLMStart", "handleChainStart"]) {
    replaceMethod(
      manager,
      method,
      (original) =>
        function (this: unknown, ...args: unknown[]): unknown {
          const started: unknown = Reflect.apply(original, this, args);
          if (started instanceof Promise) started.then(watchRuns, () => undefined);
          return started;
        },
    );
  }
}

/** @param started - what LangChain holds as long as a run can go on. */
function watchRuns(started: unknown): void {
  for (const manager of Array.isArray(started) ? (started as unknown[]) : [started]) {
    const id = textOf(field(manager, "runId"));
    if (id !== undefined) unreachableRuns.register(manager as object, id);
  }
}
