/**
 * How often a test tries random values. `TEST_RUNS_FACTOR=4 npm test` tries four times as many: a search for rare cases, which
 * is not due each time.
 */
export function randomRuns(count: number): number {
  const { TEST_RUNS_FACTOR: factor = "1" } = process.env;
  return Math.ceil(count * Number(factor));
}
