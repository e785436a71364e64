import type { OptionKind } from "./option-kinds.js";

/** Prefix of every environment variable of the collector (spec, introduction). */
export const ENV_PREFIX = "OBS_SERVER_";

/** A row of the options table. Its key is `section.key`, as in the YAML file. */
export interface OptionDefinition<T = unknown, Default extends T | undefined = T | undefined> {
  readonly kind: OptionKind<T>;
  /** Undefined if the option is unset by default. */
  readonly default: Default;
  /** One or two sentences, including the unit. */
  readonly doc: string;
  /** Environment variable, if its name does not follow from the key. */
  readonly env?: string;
  /** The option has no YAML key. */
  readonly envOnly?: true;
  /** `PUT /v1/config` does not write it: it names a file, a directory or a store (contract 3). */
  readonly isLocal?: true;
  /** The value is shown as `***`, also in problems. */
  readonly secret?: true;
  /** The key of the secret that is sent to this address. `PUT /v1/config` changes the address only together with it. */
  readonly credentials?: string;
}

/** An option with the fields derived from its key. */
export interface Option extends OptionDefinition {
  readonly key: string;
  /** Empty if the key has no section. */
  readonly section: string;
  /** The key within its section. */
  readonly leaf: string;
  readonly env: string;
}

/** Type-checks one row of the table: its default must be of its kind, or undefined. */
export function option<T>(definition: OptionDefinition<T, NoInfer<T>>): OptionDefinition<T, T>;
export function option<T>(definition: OptionDefinition<T, undefined>): OptionDefinition<T, undefined>;
export function option(definition: OptionDefinition): OptionDefinition {
  return definition;
}

/** Adds the fields derived from the key. */
export function completeOption<Key extends string>(
  key: Key,
  definition: OptionDefinition,
): Option & { readonly key: Key } {
  const dot = key.indexOf(".");
  const section = key.slice(0, Math.max(dot, 0));
  const leaf = key.slice(dot + 1);
  return { ...definition, key, section, leaf, env: definition.env ?? envName(section, leaf) };
}

/** `OBS_SERVER_` + SECTION + `_` + KEY, without the section for the keys of `server` (spec 2.6, contract 5). */
function envName(section: string, leaf: string): string {
  return ENV_PREFIX + (section === "server" ? leaf : `${section}_${leaf}`).toUpperCase();
}
