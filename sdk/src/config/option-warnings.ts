import { warn } from "../warnings.js";
import type { ConfigureOptions } from "./configure-options.js";
import { OPTION_LIST, OPTIONS, type Config } from "./options.js";
import { readConfig, show, type Environment } from "./read-config.js";

/** Warns about options that do not exist. */
export function warnUnknownOptions(options: ConfigureOptions): void {
  for (const name of Object.keys(options).filter((each) => !Object.hasOwn(OPTIONS, each)))
    warn(`configure(): unknown option ${show(name)}${suggestion(name)}`);
}

/**
 * Warns if options differ from the settings of the process, which stay.
 *
 * @param options - of a later call of `configureOnce()`.
 */
export function warnDifferentOptions(
  options: ConfigureOptions,
  environment: Environment,
  current: Config,
): void {
  const { config } = readConfig(options, environment);
  const different = OPTION_LIST.map(([name]) => name).filter(
    (name) => comparable(config[name]) !== comparable(current[name]),
  );
  if (different.length > 0)
    warn(
      `configureOnce() was called before with other options, which stay: ${different.join(", ")} ` +
        `${different.length === 1 ? "differs" : "differ"} now.`,
    );
}

/** A bundle that is evaluated twice has two copies of each function. */
function comparable(value: unknown): string | undefined {
  return typeof value === "function" ? String(value) : JSON.stringify(value);
}

/** Suggests `pushUrl` for `push_url` and `pushURL`. */
function suggestion(name: string): string {
  const plain = (text: string) => text.replaceAll(/[_-]/g, "").toLowerCase();
  const similar = OPTION_LIST.find(([known]) => plain(known) === plain(name));
  return similar === undefined ? "" : `; did you mean ${similar[0]}?`;
}
