/**
 * What `configure()` takes. Each option may stand in an environment variable instead; an argument wins over the variable,
 * the variable over the default (spec 2.5). `undefined` counts as not given.
 */
export interface ConfigureOptions {
  /** Name of the service: a label of every metric, and shown with every trace. */
  service?: string | undefined;
  /** Name of the environment, such as `production`: a label of every metric. */
  env?: string | undefined;
  /** Version of the app. */
  version?: string | undefined;
  /**
   * Where the collector is: its base address, or the full URL of its ingestion; `/v1/telemetry` is added unless it is
   * there. While it is unset nothing is sent: spans wait in the buffer, where `takeSpans()` finds them.
   */
  pushUrl?: string | undefined;
  /** Sent to the collector as the header `X-API-Key`. */
  apiKey?: string | undefined;
  /** Most spans in one request, in spans. */
  batchSize?: number | undefined;
  /** How often spans are sent, in seconds; sooner where a whole batch waits. */
  flushInterval?: number | undefined;
  /** Longest time that one request may take, in seconds. */
  timeout?: number | undefined;
  /** How often a request is tried again after a 5xx, a 429 or a connection error. */
  maxRetries?: number | undefined;
  /** Wait before the first retry, in seconds; each further one waits twice as long. */
  retryBackoff?: number | undefined;
  /** Longest time that `shutdown()` and the end of the process wait for spans to be sent, in seconds. */
  shutdownTimeout?: number | undefined;
  /** Whether spans of model calls ask for evaluation. */
  evaluationEnabled?: boolean | undefined;
  /** Evaluations that model calls ask for; a wrapper can name its own. */
  evaluationTypes?: readonly string[] | undefined;
  /** Share of model calls to evaluate, in place of the collector's own. */
  evaluationSampleRate?: number | undefined;
  /** Whether prompts, tool definitions, tool arguments and other inputs are sent. */
  capturePrompt?: boolean | undefined;
  /** Whether completions, tool results and other outputs are sent. */
  captureCompletion?: boolean | undefined;
  /** `metadata` sends no text at all: no prompts, completions, inputs, outputs or error messages. */
  capture?: "full" | "metadata" | undefined;
  /**
   * Changes every text before it is queued; `key` is the attribute that it stands in. Names of models, providers, tools,
   * agents and error classes are not shown to it. Where it throws, the text is left out.
   */
  mask?: ((text: string, key: string) => string) | undefined;
  /** Whether the cost of model calls is calculated from their tokens. */
  enableCostCalculation?: boolean | undefined;
  /** Profile of the price table to use. */
  pricingProfile?: string | undefined;
  /** Path of a JSON file with prices: `{ "profile": { "model-or-glob": { "input_per_1m": 0.25, "output_per_1m": 2 } } }`. */
  pricingSource?: string | undefined;
  /** The same as JSON text; wins over the file. */
  pricingData?: string | undefined;
  /** Cost of one call above which a warning is logged, in USD. */
  maxCostPerCallAlert?: number | undefined;
  /** Whether the time to the first token of streams is measured. */
  enableTtft?: boolean | undefined;
  /** Most spans that wait to be sent, in spans; what comes when the buffer is full is dropped and counted. */
  maxQueueSize?: number | undefined;
  /** Most that waits to be sent, in bytes of JSON. */
  maxQueueBytes?: number | undefined;
  /** Whether the start of a span is sent too, so that the viewer shows it while it runs. */
  live?: boolean | undefined;
  /** Tenant that the spans belong to, sent as the header `X-Tenant-ID`. */
  tenant?: string | undefined;
  /** Whether the exporter says what it does, on the console. */
  debug?: boolean | undefined;
}
