/** Most errors of a chain of causes. */
const MAX_CAUSES = 16;

/** An error and the errors that caused it, outermost first. Never throws. */
export function causesOf(error: unknown): object[] {
  const chain: object[] = [];
  const pending = [error];
  try {
    for (const next of pending) {
      if (typeof next !== "object" || next === null || chain.includes(next)) continue;
      if (chain.push(next) === MAX_CAUSES) break;
      pending.push((next as { cause?: unknown }).cause);
      // `Promise.any()` rejects with an AggregateError of all failures.
      if (next instanceof AggregateError) for (const each of next.errors as unknown[]) pending.push(each);
    }
  } catch {
    // A getter threw: the chain ends here.
  }
  return chain;
}
