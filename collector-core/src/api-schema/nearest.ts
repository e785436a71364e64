import { distance } from "fastest-levenshtein";

/** The hint after an unknown name: ` (did you mean "limits"?)`, or an empty string. */
export function suggestion(meant: string | undefined): string {
  return meant === undefined ? "" : ` (did you mean "${meant}"?)`;
}

/** The candidate closest to a name, at most two characters or a third of its length away. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  let found: string | undefined;
  let least = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of candidates) {
    // The distance is at least the difference in length. It takes long to compute for a long name.
    if (Math.abs(name.length - candidate.length) >= least) continue;
    const difference = distance(name.toLowerCase(), candidate.toLowerCase());
    if (difference < least) [found, least] = [candidate, difference];
  }
  return found;
}
