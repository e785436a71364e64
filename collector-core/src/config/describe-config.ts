import type { ConfigDescription, ConfigEntry } from "../contract/config.js";
import type { LoadedConfig } from "./load-config.js";
import type { Option } from "./option.js";
import { OPTION_LIST } from "./options.js";
import { HIDDEN } from "./show-value.js";

/** The body of `GET /v1/config`: every option with its value, its source and its rule (contract 3). */
export function describeConfig({ config, sources, defaults }: LoadedConfig): ConfigDescription {
  return describeOptions(OPTION_LIST, { values: config, sources, defaults });
}

/** {@link describeConfig} for any table of options. */
export function describeOptions(
  options: readonly Option[],
  state: {
    readonly values: Readonly<Record<string, unknown>>;
    readonly sources: Readonly<Record<string, string>>;
    readonly defaults: Readonly<Record<string, unknown>>;
  },
): ConfigDescription {
  const entries = options.map((option): [string, ConfigEntry] => {
    const shown = (value: unknown) => (option.secret && !isUnset(value) ? HIDDEN : (value ?? null));
    return [
      option.key,
      {
        value: shown(state.values[option.key]),
        source: state.sources[option.key] ?? "default",
        default: shown(state.defaults[option.key]),
        env: option.env,
        env_only: option.envOnly ?? false,
        secret: option.secret ?? false,
        doc: option.doc,
        rule: option.kind.rule,
        schema: option.kind.schema,
      },
    ];
  });
  return { config: Object.fromEntries(entries) };
}

/** Whether there is a secret is none. */
function isUnset(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === undefined;
  return Object.keys(value).length === 0;
}
