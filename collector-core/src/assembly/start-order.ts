import type { Foundation } from "./foundation.js";
import { startInOrder, stopInReverse, type StartedPart } from "./lifecycle.js";
import type { Measurement } from "./measurement.js";
import type { Outputs } from "./outputs.js";
import type { Pipeline } from "./pipeline.js";
import type { Storage } from "./storage.js";

/** Upper limit of the time reserved for the export when evaluation stops. */
const MAX_EXPORT_RESERVE_MS = 5000;
/** Upper limit of the time reserved for a store on disk to save what the worker has appended. */
const MAX_SAVE_RESERVE_MS = 10_000;

/** Starts and stops all parts, within `shutdown.grace_period_seconds` (spec 4.9 rule 6). */
export interface StartOrder {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * The order in which parts start, which is the reverse of that in which they stop: first the store, last the worker. The server
 * stops late, so that it rejects new spans with 503 while queued spans are processed.
 *
 * @param others - parts that are assembled beside these, in start order; they start before the outputs. Undefined where the
 *   settings need none.
 */
export function createStartOrder(
  { config, clock }: Foundation,
  { queue, store }: Storage,
  { pipelineMetrics }: Measurement,
  { live, exporting }: Outputs,
  { worker, evaluation }: Pipeline,
  others: readonly (StartedPart | undefined)[],
): StartOrder {
  const isDrained = config["shutdown.drain_queue"];
  const parts: readonly StartedPart[] = [
    ...others.filter((part) => part !== undefined),
    live,
    ...(exporting === undefined ? [] : [exporting.exporter]),
    ...(evaluation === undefined ? [] : [stoppedBeforeExport(evaluation.evaluator)]),
    { start: () => worker.start(), stop: stopWorker },
  ];

  /** Processes queued spans until the deadline, and counts the remaining spans as dropped. */
  async function stopWorker(deadlineMs: number): Promise<void> {
    await queue.takeNoMore?.();
    if (isDrained) await worker.drain(deadlineMs);
    await worker.stop(deadlineMs);
    const lost = await queue.abandon();
    if (lost > 0) pipelineMetrics.dropped("shutdown", lost);
  }

  /** Stops the evaluator early enough to export its scores. */
  function stoppedBeforeExport(evaluator: {
    stop(deadlineMs: number, drain: boolean): Promise<void>;
  }): StartedPart {
    return {
      stop(deadlineMs) {
        const remainingMs = Math.max(0, deadlineMs - clock.monotonic());
        return evaluator.stop(deadlineMs - Math.min(remainingMs / 4, MAX_EXPORT_RESERVE_MS), isDrained);
      },
    };
  }

  return {
    async start() {
      await store?.start();
      queue.start?.();
      await startInOrder(parts);
    },
    async stop() {
      const graceMs = config["shutdown.grace_period_seconds"] * 1000;
      const deadlineMs = clock.monotonic() + graceMs;
      const isDurable = store !== undefined && store.usage().diskBytes !== null;
      await stopInReverse(parts, deadlineMs - (isDurable ? Math.min(graceMs / 4, MAX_SAVE_RESERVE_MS) : 0));
      // Last, since the other parts append to it, with all the time that is left.
      await store?.stop(deadlineMs);
    },
  };
}
