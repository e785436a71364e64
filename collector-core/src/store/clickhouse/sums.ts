/** The sum of a column, which stays finite like `finiteSum` of the collector: JSON has no infinity. */
export function finiteSum(column: string): string {
  return `least(sum(${column}), ${Number.MAX_VALUE})`;
}
