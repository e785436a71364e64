/**
 * Scales estimates to whole numbers that add up to a total: each is rounded down, and the rest goes to the largest remainders.
 *
 * @returns zeros if the total is 0; an equal share each if all estimates are 0.
 */
export function scaleTokens(estimates: readonly number[], total: number): number[] {
  const sum = estimates.reduce((all, estimate) => all + estimate, 0);
  const exact = estimates.map((estimate) => (sum > 0 ? (estimate / sum) * total : total / estimates.length));
  const scaled = exact.map(Math.floor);
  let rest = total - scaled.reduce((all, tokens) => all + tokens, 0);
  const byRemainder = exact
    .map((tokens, index) => ({ index, remainder: tokens - Math.floor(tokens) }))
    .toSorted((a, b) => b.remainder - a.remainder);
  for (const { index } of byRemainder) {
    if (rest <= 0) break;
    scaled[index] = (scaled[index] ?? 0) + 1;
    rest--;
  }
  return scaled;
}
