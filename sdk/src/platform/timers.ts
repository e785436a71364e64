import { clearTimeout, setTimeout } from "node:timers";

export { clearTimeout, setTimeout };

/** A running timer. */
export type Timer = ReturnType<typeof setTimeout>;

/** False if a timer was not started. */
export const isPending = (timer: Timer | undefined): boolean => timer !== undefined;
