import type { AppendOptions, TraceStore } from "../interfaces.js";
import type { Logger } from "../logging/logger.js";
import type { EvaluationLog } from "../query/evaluation-log.js";
import { describeError } from "../runtime/describe-error.js";
import type { PipelineSpan } from "../span/pipeline-span.js";
import type { StartedPart } from "./lifecycle.js";

/** Adds spans to the trace store. */
export type AppendSpans = (spans: readonly PipelineSpan[], options?: AppendOptions) => Promise<void>;

/** Collaborators of {@link createRestoredEvaluations}. */
interface RestoreParts {
  readonly store: Pick<TraceStore, "append" | "evaluations">;
  readonly evaluationLog: Pick<EvaluationLog, "restore">;
  readonly log: Logger;
}

/** Reads the evaluations that the store has kept into the evaluation log, beside the start. */
export interface RestoredEvaluations extends StartedPart {
  /**
   * Appends to the store. Evaluations wait until the log has read those of the store: it would have a new one twice if the
   * store had it before.
   */
  readonly append: AppendSpans;
}

export function createRestoredEvaluations({ store, evaluationLog, log }: RestoreParts): RestoredEvaluations {
  /** Undefined when no restore is under way. */
  let restoring: Promise<void> | undefined;

  async function restore(): Promise<void> {
    try {
      await evaluationLog.restore((after, limit) => store.evaluations(after, limit));
    } catch (error) {
      log.error(`the evaluations of earlier runs cannot be read: ${describeError(error)}`);
    }
    restoring = undefined;
  }

  return {
    start: () => void (restoring ??= restore()),
    stop: () => undefined,
    async append(spans, options) {
      if (restoring !== undefined && spans.some(({ facts }) => facts.spanType === "evaluation"))
        await restoring;
      await store.append(spans, options);
    },
  };
}
