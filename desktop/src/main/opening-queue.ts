import type { Logger } from "@obspan/collector-core";
import type { Opening } from "./openings.js";

/** Openings that wait. More at once are a mistake, such as a folder of thousands of files. */
const MAX_WAITING = 20;

/** What opens files and links. */
export interface Opener {
  readonly open: (opening: Opening) => Promise<void>;
  readonly log: Pick<Logger, "warning">;
}

/** Keeps what is to be opened until the window is there, then opens one after the other. */
export interface OpeningQueue {
  add(openings: readonly Opening[]): void;
  /** Opens what waits, and from then on what comes. */
  openWith(opener: Opener): void;
}

export function createOpeningQueue(): OpeningQueue {
  const waiting: Opening[] = [];
  let refused = 0;
  let opener: Opener | undefined;
  let isOpening = false;

  async function openAll(): Promise<void> {
    if (isOpening || opener === undefined) return;
    const { open, log } = opener;
    isOpening = true;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await open(next).catch((error: unknown) => log.warning(`Not opened: ${String(error)}`));
    }
    isOpening = false;
    if (refused > 0)
      log.warning(`${refused} files or links were not opened: at most ${MAX_WAITING} may wait.`);
    refused = 0;
  }

  return {
    add(openings) {
      const free = MAX_WAITING - waiting.length;
      waiting.push(...openings.slice(0, free));
      refused += Math.max(0, openings.length - free);
      void openAll();
    },
    openWith(used) {
      opener = used;
      void openAll();
    },
  };
}
