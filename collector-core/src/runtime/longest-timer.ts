/** Longest delay of a Node.js timer. A timer with a longer delay fires immediately. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;
