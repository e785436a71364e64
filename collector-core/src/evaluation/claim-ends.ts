import { setTimeout as wait } from "node:timers/promises";
import type { SharedClaims } from "../interfaces.js";

/** Options of {@link createClaimEnds}. */
export interface ClaimEndsOptions {
  readonly claims: Pick<SharedClaims, "end">;
  /** Resolves when all delivered results are saved. */
  readonly save: () => Promise<void>;
  /** How long results are gathered before that. */
  readonly everyMs: number;
}

/**
 * Ends the claims of evaluations when their results are saved. A result that is not saved is lost with its collector, and another
 * one must then be able to make the evaluation again.
 */
export function createClaimEnds({ claims, save, everyMs }: ClaimEndsOptions) {
  const stopped = new AbortController();
  let waiting: (readonly string[])[] = [];
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      await wait(everyMs, undefined, { signal: stopped.signal, ref: false }).catch(() => undefined);
      const names = waiting;
      waiting = [];
      const isSaved = await save().then(
        () => true,
        () => false,
      );
      // One after the other: Redis is asked a limited number of questions at once.
      for (const name of names) await claims.end(name, isSaved);
    }
    running = undefined;
  }

  return {
    /** Ends the claim later. The result must have been delivered. */
    add(name: readonly string[]): void {
      waiting.push(name);
      running ??= run();
    },
    /** Ends the claims without waiting for more. */
    async stop(): Promise<void> {
      stopped.abort();
      await running;
    },
  };
}
