/** Adds an amount to a sum that stays finite: JSON has no infinity, and neither has a cursor. */
export function finiteSum(sum: number, amount: number): number {
  return Math.min(sum + amount, Number.MAX_VALUE);
}
