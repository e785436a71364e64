import type { ClosedStep } from "../../interfaces.js";
import { BlockRing } from "./block-ring.js";
import { isReadableFormat } from "./closed-step.js";
import { DamagedStepError } from "./damaged-step.js";
import { readBlock } from "./restore-steps.js";
import {
  COARSE_BYTES,
  COARSE_MS,
  FINE_BYTES,
  FINE_MS,
  floorTo,
  MINUTE_MS,
  MINUTE_SECONDS,
  STEP_MS,
  type SpanStats,
} from "./span-stats.js";
import type { StepBlock } from "./step-blocks.js";

/** The finished steps of other processes, which `GET /v1/stats` adds to its own. Never written again. */
export class OtherSteps {
  readonly #stats: Pick<SpanStats, "rows" | "time">;
  #fine = new BlockRing({ maxBytes: FINE_BYTES });
  #coarse = new BlockRing({ maxBytes: COARSE_BYTES });

  constructor(stats: Pick<SpanStats, "rows" | "time">) {
    this.#stats = stats;
  }

  /**
   * Adds a step that was not added before: one of 10 s also to its minute, one of a minute only there.
   *
   * @returns false if it cannot be read.
   */
  add(step: ClosedStep): boolean {
    const block = this.#read(step);
    if (block === undefined) return false;
    const nowMs = this.#stats.time.now();
    if (step.resolutionSeconds !== MINUTE_SECONDS) this.#fine.restore(block);
    this.#coarse.restore({ ...block, startMs: floorTo(block.startMs, MINUTE_MS) });
    this.#fine.evictBefore(nowMs - FINE_MS);
    this.#coarse.evictBefore(nowMs - COARSE_MS);
    return true;
  }

  #read(step: ClosedStep): StepBlock | undefined {
    if (!isReadableFormat(step.format)) return undefined;
    try {
      return readBlock(step, this.#stats.rows);
    } catch (error) {
      if (error instanceof DamagedStepError) return undefined;
      throw error;
    }
  }

  /** The steps from `ms` up to now, oldest first. The clocks of other processes may be ahead. */
  blocksFrom(ms: number, isCoarse: boolean): readonly StepBlock[] {
    return this.#ring(isCoarse).from(ms, this.#stats.time.now());
  }

  /** Start of the oldest step; undefined if there is none. */
  oldestMs(isCoarse: boolean): number | undefined {
    return this.#ring(isCoarse).oldestMs;
  }

  /** Start of the period without steps that were evicted for their size. */
  completeSinceMs(isCoarse: boolean): number {
    const { evictedMs } = this.#ring(isCoarse);
    return evictedMs === undefined ? 0 : evictedMs + (isCoarse ? MINUTE_MS : STEP_MS);
  }

  clear(): void {
    this.#fine = new BlockRing({ maxBytes: FINE_BYTES });
    this.#coarse = new BlockRing({ maxBytes: COARSE_BYTES });
  }

  #ring(isCoarse: boolean): BlockRing {
    return isCoarse ? this.#coarse : this.#fine;
  }
}
