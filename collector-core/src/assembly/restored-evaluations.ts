import { setTimeout as wait } from "node:timers/promises";
import { ApiError } from "../api-schema/errors.js";
import type { TraceStore } from "../interfaces.js";
import type { Logger } from "../logging/logger.js";
import type { EvaluationLog } from "../query/evaluation-log.js";
import { describeError, errorMessage } from "../runtime/describe-error.js";
import type { StartedPart } from "./lifecycle.js";

/** Collaborators of {@link createRestoredEvaluations}. */
interface RestoreParts {
  readonly store: Pick<TraceStore, "evaluations">;
  readonly evaluationLog: Pick<EvaluationLog, "restore">;
  readonly log: Logger;
  /** When a store that is away is asked again. Default: after 5 seconds. */
  readonly retryMs?: number;
}

const RETRY_MS = 5000;

/** Reads the evaluations that the store has kept into the evaluation log, beside the start. Nothing waits for it. */
export function createRestoredEvaluations({
  store,
  evaluationLog,
  log,
  retryMs = RETRY_MS,
}: RestoreParts): StartedPart {
  const stopped = new AbortController();
  let restoring: Promise<void> | undefined;
  let isAway = false;

  async function restore(): Promise<void> {
    try {
      await evaluationLog.restore((after, limit) => store.evaluations(after, limit), waitAfter);
    } catch (error) {
      if (stopped.signal.aborted) return;
      log.error(`the evaluations of earlier runs cannot be read: ${errorMessage(error)}`, {
        error: describeError(error),
      });
    }
  }

  /** Waits until a store that is away is asked again. @throws the error of one that will not come back. */
  async function waitAfter(error: unknown): Promise<undefined> {
    if (!(error instanceof ApiError) || error.code !== "trace_store_unavailable") throw error;
    if (!isAway)
      log.warning(`the evaluations of earlier runs are read when the store answers: ${error.message}`);
    isAway = true;
    await wait(retryMs, undefined, { signal: stopped.signal, ref: false });
    return undefined;
  }

  return {
    start: () => void (restoring ??= restore()),
    stop: () => stopped.abort(),
  };
}
