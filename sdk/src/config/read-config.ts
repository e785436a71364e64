import { isRecord } from "../is-record.js";
import type { ConfigureOptions } from "./configure-options.js";
import { OPTION_LIST, variableOf, type Config } from "./options.js";

/** Environment variables by name. An empty variable counts as not set. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The options that were read, and everything that is wrong with them, one text for each problem. */
export interface ReadConfig {
  readonly config: Config;
  readonly problems: readonly string[];
}

/** Reads every option: from the arguments, otherwise from its variable, otherwise its default (spec 2.5). */
export function readConfig(options: ConfigureOptions, environment: Environment): ReadConfig {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, option] of OPTION_LIST) {
    const { kind } = option;
    const env = variableOf(name) ?? "";
    const argument: unknown = options[name];
    const variable = environment[env];
    let value = argument;
    if (value === undefined) value = variable ? kind.parse(variable) : option.default;
    if (value !== option.default && !kind.check(value)) {
      const { rule } = kind;
      const [given, source] = argument === undefined ? [variable, env] : [argument, "argument"];
      problems.push(`${name} = ${option.secret ? "***" : show(given)} (${source}) must be ${rule}`);
    }
    // A copy: the app may change its list later.
    values[name] = Array.isArray(value)
      ? Object.freeze([...(value as unknown[])])
      : isRecord(value)
        ? Object.freeze({ ...value })
        : value;
  }
  values["captureSource"] ??= environment["NODE_ENV"] === "development";
  // Both options give prices: an argument for one also wins over the variable of the other.
  if (options.pricingSource !== undefined && options.pricingData === undefined)
    values["pricingData"] = undefined;
  // The type of each value comes from the kind that has checked it.
  return { config: Object.freeze(values) as Config, problems };
}

/** True if any variable of the option table is set. */
export function isEnvironmentSet(environment: Environment): boolean {
  return OPTION_LIST.some(([name]) => environment[variableOf(name) ?? ""]);
}

/** A value for a message: short, and without the credentials of a URL. */
export function show(value: unknown): string {
  if (typeof value === "string") {
    const text = value.replace(/\/\/[^/\s]*@/, "//***@");
    return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
  }
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "an array" : "an object";
  return typeof value === "function" ? "a function" : String(value);
}
