import type { ClosedStep } from "../../interfaces.js";
import type { BlockRing } from "./block-ring.js";
import { deserializeStep, isReadableFormat } from "./closed-step.js";
import { DamagedStepError } from "./damaged-step.js";
import type { StatsRows } from "./stats-rows.js";
import { mergeBlocks, packBlock, type StepBlock } from "./step-blocks.js";
import type { ByteWriter } from "./step-bytes.js";

/** What became of the steps that were to be restored. */
export interface RestoredSteps {
  readonly restored: number;
  /** Steps of a format that this version cannot read. */
  readonly unknownFormat: number;
  /** Steps that are too old, or not over yet. */
  readonly outOfRange: number;
  readonly damaged: number;
  /** Message about the first damaged step; undefined without one. */
  readonly problem: string | undefined;
}

/** A ring that steps of one length are restored into. */
export interface RestoreTarget {
  readonly ring: BlockRing;
  readonly stepMs: number;
  /** Only steps from `fromMs` up to and including `untilMs` are restored. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Restores closed steps into the rings, the newest first: their label sets have the first claim on the rows. */
export function restoreSteps(
  steps: Iterable<ClosedStep>,
  rows: StatsRows,
  targets: readonly RestoreTarget[],
): RestoredSteps {
  let restored = 0;
  let unknownFormat = 0;
  let outOfRange = 0;
  let damaged = 0;
  let problem: string | undefined;
  for (const step of [...steps].sort((a, b) => b.startSeconds - a.startSeconds)) {
    if (!isReadableFormat(step.format)) {
      unknownFormat++;
      continue;
    }
    try {
      const target = targetOf(step, targets);
      const startMs = step.startSeconds * 1000;
      if (startMs < target.fromMs || startMs > target.untilMs) {
        outOfRange++;
        continue;
      }
      target.ring.restore(readBlock(step, rows));
      restored++;
    } catch (error) {
      if (!(error instanceof DamagedStepError)) throw error;
      damaged++;
      problem ??= error.message;
    }
  }
  return { restored, unknownFormat, outOfRange, damaged, problem };
}

function targetOf(
  { resolutionSeconds, startSeconds }: ClosedStep,
  targets: readonly RestoreTarget[],
): RestoreTarget {
  const target = targets.find(({ stepMs }) => stepMs === resolutionSeconds * 1000);
  if (target === undefined) throw new DamagedStepError(`its length is ${resolutionSeconds} s`);
  if (!Number.isSafeInteger(startSeconds) || startSeconds % resolutionSeconds !== 0) {
    throw new DamagedStepError(`its start is ${startSeconds} s, not a multiple of ${resolutionSeconds} s`);
  }
  return target;
}

/** @throws {@link DamagedStepError} */
export function readBlock({ startSeconds, data }: ClosedStep, rows: StatsRows): StepBlock {
  const startMs = startSeconds * 1000;
  const closedRows = deserializeStep(data);
  const ids = new Set<number>();
  const blockRows = closedRows.map((closed) => {
    const { id } = rows.resolve(closed.labels, closed.labels.evaluation_type);
    ids.add(id);
    return { id, write: (writer: ByteWriter) => writer.bytes(closed.data) };
  });
  const block = packBlock(startMs, blockRows);
  // Several label sets can share the row `__other__`.
  return ids.size === blockRows.length ? block : mergeBlocks(startMs, [block]);
}
