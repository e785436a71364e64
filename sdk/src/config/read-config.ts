import type { ConfigureOptions } from "./configure-options.js";
import { OPTION_LIST, OPTIONS, variableOf, type Config, type Option } from "./options.js";

/** The environment: variables by name. An empty one counts as not set. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What was read, and all that is wrong with it, a line each. */
export interface ReadConfig {
  readonly config: Config;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** Reads every option: from the arguments, else from its variable, else its default (spec 2.5). */
export function readConfig(options: ConfigureOptions, environment: Environment): ReadConfig {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, option] of OPTION_LIST) {
    const { kind } = option;
    const env = variableOf(name);
    const fromArguments: unknown = options[name];
    const fromEnvironment = env === undefined ? undefined : environment[env] || undefined;
    let value: unknown = option.default;
    if (fromArguments !== undefined) {
      value = fromArguments;
      if (!kind.check(value)) problems.push(problem(name, option, value, "argument"));
    } else if (env !== undefined && fromEnvironment !== undefined) {
      value = kind.parse(fromEnvironment);
      if (!kind.check(value)) problems.push(problem(name, option, fromEnvironment, env));
    }
    // A list that changes later changes nothing here.
    values[name] = Array.isArray(value) ? Object.freeze([...(value as unknown[])]) : value;
  }
  // Two ways to give prices: an argument of the one wins over a variable of the other, too.
  if (options.pricingSource !== undefined && options.pricingData === undefined)
    values["pricingData"] = undefined;
  const warnings = Object.keys(options)
    .filter((name) => !Object.hasOwn(OPTIONS, name))
    .map((name) => `unknown option ${show(name)}${suggestion(name)}`);
  // Each value was checked against the kind that its type comes from.
  return { config: Object.freeze(values) as Config, problems, warnings };
}

/** True where any variable of the table is set. */
export function isEnvironmentSet(environment: Environment): boolean {
  return OPTION_LIST.some(([name]) => environment[variableOf(name) ?? ""]);
}

function problem(name: string, option: Option, value: unknown, source: string): string {
  return `${name} = ${option.secret ? "***" : show(value)} (${source}) must be ${option.kind.rule}`;
}

/** A value as a message shows it: short, and without the credentials that a URL can carry. */
function show(value: unknown): string {
  if (typeof value === "string") {
    const text = value.replace(/\/\/[^/\s]*@/, "//***@");
    return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
  }
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "an array" : "an object";
  return typeof value === "function" ? "a function" : String(value);
}

/** `push_url` and `pushURL` are meant to be `pushUrl`. */
function suggestion(name: string): string {
  const plain = (text: string) => text.replaceAll(/[_-]/g, "").toLowerCase();
  const meant = OPTION_LIST.find(([known]) => plain(known) === plain(name));
  return meant === undefined ? "" : `; did you mean ${meant[0]}?`;
}
