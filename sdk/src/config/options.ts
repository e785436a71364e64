import type { ConfigureOptions } from "./configure-options.js";
import {
  boolean,
  fn,
  integer,
  number,
  oneOf,
  seconds,
  text,
  texts,
  type OptionKind,
} from "./option-kinds.js";
import { isPushUrl } from "./push-url.js";

/** An option: its variable, its kind and its default. What it means is said in {@link ConfigureOptions}. */
export interface Option<T = unknown, Default extends T | undefined = T | undefined> {
  /** Absent where only an argument can give it. */
  readonly env?: `OBS_${string}`;
  readonly kind: OptionKind<T>;
  readonly default: Default;
  /** For the reference page. */
  readonly unit?: string;
  /** The value never stands in a message. */
  readonly secret?: true;
}

const MAX_NAME_LENGTH = 256;
const name = text(`a text of 1 to ${MAX_NAME_LENGTH} characters`, (value) => value.length <= MAX_NAME_LENGTH);
const path = text("the path of a file", () => true);
/** What HTTP allows in the value of a header. */
const headerText = text("a text of 1 to 1,024 printable ASCII characters", (value) =>
  /^[\x21-\x7e](?:[\x20-\x7e]{0,1022}[\x21-\x7e])?$/.test(value),
);
const tenant = text(
  "a text of 1 to 128 printable ASCII characters",
  (value) => headerText.check(value) && value.length <= 128,
);

/**
 * Every option, once. The type {@link Config}, the reading of arguments and environment, and the reference page are made
 * from this table.
 */
export const OPTIONS = {
  service: option("OBS_SERVICE", name, "unknown"),
  env: option("OBS_ENV", name, "development"),
  version: option("OBS_VERSION", name, undefined),
  pushUrl: option("OBS_PUSH_URL", text("a URL that begins with http:// or https://", isPushUrl), undefined),
  apiKey: { ...option("OBS_API_KEY", headerText, undefined), secret: true },
  batchSize: option("OBS_BATCH_SIZE", integer(1, 10_000), 100, "spans"),
  flushInterval: option("OBS_FLUSH_INTERVAL", seconds(0.01), 5, "seconds"),
  timeout: option("OBS_TIMEOUT", seconds(0.01), 5, "seconds"),
  maxRetries: option("OBS_MAX_RETRIES", integer(0, 100), 3),
  retryBackoff: option("OBS_RETRY_BACKOFF", number(0, 3600), 0.5, "seconds"),
  shutdownTimeout: option("OBS_SHUTDOWN_TIMEOUT", number(0, 3600), 5, "seconds"),
  evaluationEnabled: option("OBS_EVALUATION_ENABLED", boolean(), false),
  evaluationTypes: option(
    "OBS_EVALUATION_TYPES",
    texts("names of evaluations, in a variable separated by commas"),
    undefined,
  ),
  evaluationSampleRate: option("OBS_EVALUATION_SAMPLE_RATE", number(0, 1), undefined),
  capturePrompt: option("OBS_CAPTURE_PROMPT", boolean(), true),
  captureCompletion: option("OBS_CAPTURE_COMPLETION", boolean(), true),
  capture: option("OBS_CAPTURE", oneOf("full", "metadata"), "full"),
  mask: { kind: fn<(text: string, key: string) => string>("a function"), default: undefined },
  enableCostCalculation: option("OBS_ENABLE_COST_CALCULATION", boolean(), false),
  pricingProfile: option("OBS_PRICING_PROFILE", name, "default"),
  pricingSource: option("OBS_PRICING_SOURCE", path, undefined),
  pricingData: option(
    "OBS_PRICING_DATA",
    text("prices as JSON text", () => true),
    undefined,
  ),
  maxCostPerCallAlert: option("OBS_MAX_COST_PER_CALL_ALERT", number(0), undefined, "USD"),
  enableTtft: option("OBS_ENABLE_TTFT", boolean(), true),
  maxQueueSize: option("OBS_MAX_QUEUE_SIZE", integer(1, 10_000_000), 10_000, "spans"),
  maxQueueBytes: option("OBS_MAX_QUEUE_BYTES", integer(1024, 2 ** 34), 33_554_432, "bytes"),
  live: option("OBS_LIVE", boolean(), false),
  tenant: option("OBS_TENANT", tenant, undefined),
  debug: option("OBS_DEBUG", boolean(), false),
} satisfies { [Name in keyof ConfigureOptions]-?: Option<NonNullable<ConfigureOptions[Name]>> };

/** The name of an option. */
export type OptionName = keyof typeof OPTIONS;

/** The table as rows. */
export const OPTION_LIST = Object.entries(OPTIONS) as readonly (readonly [OptionName, Option])[];

type ValueOf<O> = O extends { kind: OptionKind<infer T>; default: infer D }
  ? D extends undefined
    ? T | undefined
    : T
  : never;

/** The settings of this process: frozen once they are read (spec 3.1). */
export type Config = { readonly [Name in OptionName]: ValueOf<(typeof OPTIONS)[Name]> };

function option<T, D extends T | undefined>(
  env: `OBS_${string}`,
  kind: OptionKind<T>,
  byDefault: D,
  unit?: string,
): Option<T, D> {
  return { env, kind, default: byDefault, ...(unit === undefined ? {} : { unit }) };
}
