/** How long the id of an accepted batch is remembered (contract 1). */
export const REMEMBERED_MS = 10 * 60_000;
