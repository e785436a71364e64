import { distance } from "fastest-levenshtein";
import { ENV_PREFIX, type Option } from "./option.js";

/** What follows a name that is not known: ` (did you mean "limits"?)`, or nothing. */
export function suggestion(meant: string | undefined): string {
  return meant === undefined ? "" : ` (did you mean "${meant}"?)`;
}

/** The known environment variable that an unknown one most likely stands for. */
export function nearestVariable(name: string, options: readonly Option[]): string | undefined {
  const meant = nearest(
    name.slice(ENV_PREFIX.length),
    options.map(({ env }) => env.slice(ENV_PREFIX.length)),
  );
  return meant === undefined ? undefined : ENV_PREFIX + meant;
}

/** The known YAML key that an unknown one most likely stands for: one of that name elsewhere, or one spelt alike. */
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

/** The candidate that differs least from a name, where that is by two characters or by a third of it. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  let found: string | undefined;
  let least = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of candidates) {
    const difference = distance(name.toLowerCase(), candidate.toLowerCase());
    if (difference < least) [found, least] = [candidate, difference];
  }
  return found;
}
