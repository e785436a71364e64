import type { Span } from "../wire/index.js";

/**
 * The options of `configure()`. Each option except functions can also be set by an environment variable. An argument wins over
 * the variable, the variable over the default (spec 2.5). `undefined` counts as not set.
 */
export interface ConfigureOptions {
  /** Name of the service. It is a label of every metric, and shown with every trace. */
  service?: string | undefined;
  /** Name of the environment, such as `production`. It is a label of every metric. */
  env?: string | undefined;
  /** Version of the app. */
  version?: string | undefined;
  /**
   * URL of the collector: its base address, or the full ingestion URL. `/v1/telemetry` is added if it is missing. Without
   * this option nothing is sent: spans stay in the buffer, and `takeSpans()` returns them.
   */
  pushUrl?: string | undefined;
  /** API key of the collector, sent in the header `X-API-Key`. */
  apiKey?: string | undefined;
  /** Maximum size of a request, in spans. */
  batchSize?: number | undefined;
  /** How often spans are sent, in seconds. A full batch is sent earlier. */
  flushInterval?: number | undefined;
  /** Maximum duration of a request, in seconds. */
  timeout?: number | undefined;
  /** How often a request is retried after a 5xx, a 429 or a connection error. */
  maxRetries?: number | undefined;
  /** Wait before the first retry, in seconds. Each further wait is twice as long. */
  retryBackoff?: number | undefined;
  /** How long `shutdown()` and the end of the process wait at most until spans are sent, in seconds. */
  shutdownTimeout?: number | undefined;
  /** Whether spans of model calls ask for evaluation. */
  evaluationEnabled?: boolean | undefined;
  /** Evaluations that model calls ask for. A wrapper can set its own. */
  evaluationTypes?: readonly string[] | undefined;
  /** Share of model calls to evaluate, 0 to 1. It replaces the rate of the collector. */
  evaluationSampleRate?: number | undefined;
  /** Whether prompts, tool definitions, tool arguments and other inputs are sent. */
  capturePrompt?: boolean | undefined;
  /** Whether completions, tool results and other outputs are sent. */
  captureCompletion?: boolean | undefined;
  /** `metadata` sends no texts: no prompts, completions, inputs, outputs or error messages. */
  capture?: "full" | "metadata" | undefined;
  /**
   * Changes every text before it is queued; `key` is the attribute that contains it. It does not get the names of models,
   * providers, tools, agents and error classes. If it throws, the text is left out.
   */
  mask?: ((text: string, key: string) => string) | undefined;
  /** Whether the cost of model calls is calculated from their tokens. */
  enableCostCalculation?: boolean | undefined;
  /** Profile of the price table. */
  pricingProfile?: string | undefined;
  /** Path of a JSON file with prices: `{ "profile": { "model-or-glob": { "input_per_1m": 0.25, "output_per_1m": 2 } } }`. */
  pricingSource?: string | undefined;
  /** The same prices as JSON text. It wins over `pricingSource`. */
  pricingData?: string | undefined;
  /** A warning is logged if a call costs more than this, in USD. */
  maxCostPerCallAlert?: number | undefined;
  /** Whether the time to the first token of streams is measured. */
  enableTtft?: boolean | undefined;
  /** Capacity of the buffer, in spans. While the buffer is full, new spans are dropped and counted. */
  maxQueueSize?: number | undefined;
  /** Capacity of the buffer, in bytes of JSON. */
  maxQueueBytes?: number | undefined;
  /**
   * Whether the start of each span is sent too, and the text of a model call while it streams, so that the viewer shows
   * running spans.
   */
  live?: boolean | undefined;
  /** Tenant that the spans belong to, sent in the header `X-Tenant-ID`. */
  tenant?: string | undefined;
  /** Headers of every request to the collector, for example for a gateway before it. */
  headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Share of traces to send, 0 to 1. The decision depends only on the trace id, as in the collector. The metrics of the
   * collector do not count the traces that are left out.
   */
  sampleRate?: number | undefined;
  /**
   * Gets each span before it is queued, after `mask`. It returns the span to send, or null to drop it. If it throws, the span
   * is dropped; both are counted as `before_send`. The ids of a span stay.
   */
  beforeSend?: ((span: Span) => Span | null) | undefined;
  /**
   * Whether each span carries where it was made: `code.file.path`, relative to the working directory, and `code.line.number`.
   * Default: true if `NODE_ENV` is `development`.
   */
  captureSource?: boolean | undefined;
  /** Whether the exporter logs each request to the console. */
  debug?: boolean | undefined;
}
