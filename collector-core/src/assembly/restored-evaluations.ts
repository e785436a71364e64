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
}

/** Reads the evaluations that the store has kept into the evaluation log, beside the start. Nothing waits for it. */
export function createRestoredEvaluations({ store, evaluationLog, log }: RestoreParts): StartedPart {
  let restoring: Promise<void> | undefined;

  async function restore(): Promise<void> {
    try {
      await evaluationLog.restore((after, limit) => store.evaluations(after, limit));
    } catch (error) {
      log.error(`the evaluations of earlier runs cannot be read: ${errorMessage(error)}`, {
        error: describeError(error),
      });
    }
  }

  return {
    start: () => void (restoring ??= restore()),
    stop: () => undefined,
  };
}
