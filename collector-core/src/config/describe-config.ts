import { existsSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { ConfigDescription, ConfigEntry } from "../api-schema/config.js";
import type { ConfigResult, LoadedConfig } from "./load-config.js";
import type { Option } from "./option.js";
import { OPTION_LIST } from "./options.js";
import { shownValue } from "./quoted.js";
import { whyNotWritable } from "./why-not-writable.js";

/**
 * The body of `GET /v1/config`: every option with its value, its source and its rule (contract 3).
 *
 * @param changed - the keys that were changed over HTTP.
 * @param next - what the next start reads; undefined without a file.
 */
export function describeConfig(
  { config, sources, defaults }: LoadedConfig,
  changed: ReadonlySet<string> = new Set(),
  next?: ConfigResult,
): ConfigDescription {
  const file = config["config_file"] ?? null;
  return {
    file,
    file_exists: file !== null && existsSync(file),
    not_writable: whyNotWritable(config)?.message ?? null,
    file_problems: next?.type === "refused" ? [...next.problems] : [],
    config: describeOptions(OPTION_LIST, {
      values: config,
      sources,
      defaults,
      changed,
      ...(next?.type === "loaded" ? { nextValues: next.loaded.config } : {}),
    }),
  };
}

/** {@link describeConfig} for any table of options. */
export function describeOptions(
  options: readonly Option[],
  state: {
    readonly values: Readonly<Record<string, unknown>>;
    readonly sources: Readonly<Record<string, string>>;
    readonly defaults: Readonly<Record<string, unknown>>;
    /** The keys that were changed over HTTP. */
    readonly changed?: ReadonlySet<string>;
    /** The values after the next start; undefined if they are unknown. */
    readonly nextValues?: Readonly<Record<string, unknown>>;
  },
): ConfigDescription["config"] {
  const entries = options.map((option): [string, ConfigEntry] => {
    const shown = (value: unknown) => shownValue(option, value) ?? null;
    const nextValue = state.nextValues?.[option.key];
    const isChanging =
      state.nextValues !== undefined && !isDeepStrictEqual(nextValue, state.values[option.key]);
    return [
      option.key,
      {
        value: shown(state.values[option.key]),
        source: state.sources[option.key] ?? "default",
        default: shown(state.defaults[option.key]),
        env: option.env,
        env_only: option.envOnly ?? false,
        read_only: option.envOnly ?? option.isLocal ?? false,
        secret: option.secret ?? false,
        doc: option.doc,
        rule: option.kind.rule,
        ...(state.changed?.has(option.key) === true ? { changed_over_http: true } : {}),
        ...(isChanging ? { after_restart: shown(nextValue) } : {}),
        schema: option.kind.schema,
      },
    ];
  });
  return Object.fromEntries(entries);
}
