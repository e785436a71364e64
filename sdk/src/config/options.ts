import type { ConfigureOptions } from "./configure-options.js";
import {
  boolean,
  fn,
  HEADER_TEXT,
  headers,
  integer,
  number,
  oneOf,
  seconds,
  text,
  texts,
  type OptionKind,
} from "./option-kinds.js";
import type { Span } from "../wire/index.js";
import { isPushUrl } from "./push-url.js";

/** An option: its kind and its default. {@link ConfigureOptions} describes its meaning and unit. */
export interface Option<T = unknown, Default extends T | undefined = T | undefined> {
  readonly kind: OptionKind<T>;
  readonly default: Default;
  /** The option has no variable. */
  readonly argumentOnly?: true;
  /** Messages never contain the value. */
  readonly secret?: true;
}

const MAX_NAME_LENGTH = 256;
const name = text(`a text of 1 to ${MAX_NAME_LENGTH} characters`, (value) => value.length <= MAX_NAME_LENGTH);
const path = text("the path of a file", () => true);
const headerText = text("a text of 1 to 1,024 printable ASCII characters", (value) =>
  HEADER_TEXT.test(value),
);
const tenant = text(
  "a text of 1 to 128 printable ASCII characters",
  (value) => headerText.check(value) && value.length <= 128,
);

/**
 * All options. The type {@link Config}, the parsing of arguments and variables, and the reference page come from this
 * table.
 */
export const OPTIONS = {
  service: option(name, "unknown"),
  env: option(name, "development"),
  version: option(name, undefined),
  pushUrl: option(text("a URL that begins with http:// or https://", isPushUrl), undefined),
  apiKey: { ...option(headerText, undefined), secret: true },
  batchSize: option(integer(1, 10_000), 100),
  flushInterval: option(seconds, 5),
  timeout: option(seconds, 5),
  maxRetries: option(integer(0, 100), 3),
  retryBackoff: option(number(0, 3600), 0.5),
  shutdownTimeout: option(number(0, 3600), 5),
  evaluationEnabled: option(boolean, false),
  evaluationTypes: option(texts("names of evaluations, in a variable separated by commas"), undefined),
  evaluationSampleRate: option(number(0, 1), undefined),
  capturePrompt: option(boolean, true),
  captureCompletion: option(boolean, true),
  capture: option(oneOf("full", "metadata"), "full"),
  mask: { ...option(fn<(text: string, key: string) => string>(), undefined), argumentOnly: true },
  enableCostCalculation: option(boolean, false),
  pricingProfile: option(name, "default"),
  pricingSource: option(path, undefined),
  pricingData: option(
    text("prices as JSON text", () => true),
    undefined,
  ),
  maxCostPerCallAlert: option(number(0), undefined),
  enableTtft: option(boolean, true),
  maxQueueSize: option(integer(1, 10_000_000), 10_000),
  maxQueueBytes: option(integer(1024, 2 ** 34), 33_554_432),
  live: option(boolean, false),
  tenant: option(tenant, undefined),
  headers: { ...option(headers(), undefined), secret: true },
  sampleRate: option(number(0, 1), 1),
  captureSource: option(boolean, undefined),
  beforeSend: { ...option(fn<(span: Span) => Span | null>(), undefined), argumentOnly: true },
  debug: option(boolean, false),
} satisfies { [Name in keyof ConfigureOptions]-?: Option<NonNullable<ConfigureOptions[Name]>> };

/** The name of an option. */
export type OptionName = keyof typeof OPTIONS;

/** The table as rows. */
export const OPTION_LIST = Object.entries(OPTIONS) as readonly (readonly [OptionName, Option])[];

/** The variable of an option: `OBS_PUSH_URL` for `pushUrl`. Undefined if the option can only be an argument. */
export function variableOf(name: OptionName): string | undefined {
  if ("argumentOnly" in OPTIONS[name]) return undefined;
  return `OBS_${name.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
}

type ValueOf<O> = O extends { kind: OptionKind<infer T>; default: infer D }
  ? D extends undefined
    ? T | undefined
    : T
  : never;

/** The settings of this process, frozen after they were read (spec 3.1). */
export type Config = { readonly [Name in OptionName]: ValueOf<(typeof OPTIONS)[Name]> };

function option<T, D extends T | undefined>(kind: OptionKind<T>, defaultValue: D): Option<T, D> {
  return { kind, default: defaultValue };
}
