import { nearest } from "../api-schema/nearest.js";
import { ENV_PREFIX, type Option } from "./option.js";

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
