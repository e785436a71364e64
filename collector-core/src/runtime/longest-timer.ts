/** The longest that a timer of Node can run. A longer one fires at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;
