import { distance } from "fastest-levenshtein";
import { ENV_PREFIX, type Option } from "./option.js";

/** The hint after an unknown name: ` (did you mean "limits"?)`, or an empty string. */
export function suggestion(meant: string | undefined): string {
  return meant === undefined ? "" : ` (did you mean "${meant}"?)`;
}

/** The known environment variable closest to an unknown one. */
export function nearestVariable(name: string, options: readonly Option[]): string | undefined {
  const meant = nearest(
    name.slice(ENV_PREFIX.length),
    options.map(({ env }) => env.slice(ENV_PREFIX.length)),
  );
  return meant === undefined ? undefined : ENV_PREFIX + meant;
}

/** The known YAML key closest to an unknown one: the same leaf in another section, or a similar name in this one. */
export function nearestKey(section: string, leaf: string, options: readonly Option[]): string | undefined {
  const inFile = options.filter((option) => !option.envOnly);
  const namesakes = inFile.filter((option) => option.leaf === leaf);
  if (namesakes.length === 1) return namesakes[0]?.key;
  const siblings = inFile.filter((option) => option.section === section);
  const sibling = nearest(
    leaf,
    siblings.map((option) => option.leaf),
  );
  return sibling === undefined ? undefined : `${section}.${sibling}`;
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
