import { Worker } from "node:worker_threads";
import { errorMessage } from "../../runtime/describe-error.js";
import type { FromThread } from "./thread/protocol.js";
import type { StartThread } from "./thread/thread-handle.js";

/** The heap of the thread: several large spans at a time, beside the traces that are open. */
const MAX_HEAP_MB = 512;

/** Beside this module in the compiled package, and beside the bundle that has this module. */
const ENTRY = "storage-thread.js";

/** What the entry of the thread reads from `workerData`. */
export interface ThreadData<Options> {
  readonly options: Options;
  /** See {@link StartThread}. */
  readonly isRestart: boolean;
}

/**
 * Starts the thread of the built package.
 *
 * @param options - passed to the entry; must be cloneable.
 * @param entry - the module of the thread. Default: the one of this package.
 */
export function workerThread(options: unknown, entry: URL = new URL(ENTRY, import.meta.url)): StartThread {
  return ({ onMessage, onExit }, isRestart) => {
    const workerData: ThreadData<unknown> = { options, isRestart };
    const worker = new Worker(entry, {
      name: "trace-store",
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    let failure: { readonly error: unknown } | undefined;
    worker.on("message", (message: FromThread) => onMessage(message));
    worker.on("messageerror", (error) => (failure ??= { error }));
    worker.on("error", (error) => (failure ??= { error }));
    worker.once("exit", (code) => {
      if (failure !== undefined) onExit(errorMessage(failure.error), failure.error);
      else onExit(code === 0 ? undefined : `exit code ${code}`);
    });
    return {
      postMessage: (message, transfer) => worker.postMessage(message, transfer),
      terminate: async () => {
        await worker.terminate();
      },
    };
  };
}
