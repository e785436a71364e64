import type { Clock } from "../interfaces.js";
import { whenThere, type NowOrLater } from "../now-or-later.js";
import { RecentKeys } from "../recent-keys.js";

/** A repeated batch is known among the last 10,000, for 10 minutes (contract 1). */
const REMEMBERED_BATCHES = 10_000;
const REMEMBERED_MS = 10 * 60_000;

/** Lets a batch in once: a sender that heard no answer sends it again. */
export interface BatchesOnce {
  /**
   * Calls `admit` unless it did its work for that key before. While that is not settled, a repeat waits for it; where it
   * fails, the batch is as new.
   *
   * @returns true for a batch that was let in, false for a repeated one.
   */
  once(key: string, admit: () => NowOrLater<void>): NowOrLater<boolean>;
}

export function createBatchesOnce(clock: Pick<Clock, "monotonic">): BatchesOnce {
  /** Batches whose admission is not settled yet; as many as there are requests at most. */
  const underWay = new Map<string, Promise<void>>();
  const letIn = new RecentKeys({ capacity: REMEMBERED_BATCHES, ttlMs: REMEMBERED_MS, clock });

  function admitNew(key: string, admit: () => NowOrLater<void>): NowOrLater<boolean> {
    const admission = whenThere(admit(), () => {
      letIn.add(key);
      return true;
    });
    if (admission instanceof Promise) wait(key, admission);
    return admission;
  }

  function wait(key: string, admission: Promise<unknown>): void {
    const forget = (): void => void underWay.delete(key);
    underWay.set(key, admission.then(forget, forget));
  }

  return {
    once: (key, admit) => whenThere(underWay.get(key), () => (letIn.has(key) ? false : admitNew(key, admit))),
  };
}
