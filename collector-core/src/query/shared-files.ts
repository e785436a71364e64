import { createConcurrencyLimit } from "../runtime/concurrency-limit.js";
import type { SharedTraceRedactor } from "../share/shared-trace.js";

/** Options of {@link createSharedFiles}. */
export interface SharedFilesOptions {
  /** Loads the redactor of files to share. */
  readonly createRedactor: () => Promise<SharedTraceRedactor>;
  /** The error for a file that has to wait too long. */
  readonly overloaded: () => Error;
}

/** What the routes have in common that lay out files to share. */
export interface SharedFiles {
  /** Runs a task after those that came before. @throws what `overloaded` returns if that takes too long. */
  inTurn<Result>(task: () => Promise<Result>, connected: AbortSignal): Promise<Result>;
  redactor(): Promise<SharedTraceRedactor>;
}

/** Files that are read and laid out at a time: another one is not faster beside it, and each takes memory. */
const MAX_FILES = 1;
/** A file that has to wait longer is refused. */
const MAX_WAIT_MS = 5000;

/** Creates what the routes share: one file is laid out at a time, of whichever route. */
export function createSharedFiles({ createRedactor, overloaded }: SharedFilesOptions): SharedFiles {
  const limited = createConcurrencyLimit(MAX_FILES);
  let redactor: Promise<SharedTraceRedactor> | undefined;
  return {
    async inTurn(task, connected) {
      const timeout = AbortSignal.timeout(MAX_WAIT_MS);
      try {
        return await limited(task, AbortSignal.any([connected, timeout]));
      } catch (error) {
        throw error === timeout.reason ? overloaded() : error;
      }
    },
    redactor: () => (redactor ??= createRedactor()),
  };
}
