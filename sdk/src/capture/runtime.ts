import type { Config } from "../config/options.js";
import type { SpanExporter } from "../export/exporter.js";
import type { PriceBook } from "./price-table.js";
import type { TextPolicy } from "./text-policy.js";

/** What recording needs, built once by `configure()`. */
export interface Runtime {
  readonly config: Config;
  readonly policy: TextPolicy;
  readonly exporter: SpanExporter;
  /** Absent where no cost is calculated. */
  readonly prices: PriceBook | undefined;
}
