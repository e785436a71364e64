import type { Config } from "../config/options.js";
import type { SpanExporter } from "../export/exporter.js";
import type { PriceLookup } from "./cost.js";
import type { RecordedSpan } from "./recorded-span.js";
import type { TextPolicy } from "./text-policy.js";

/** Takes spans over for delivery; implemented by the exporter. Never throws. */
export interface SpanSink {
  /** Takes a span that has ended, or with `live` one that has started. */
  offer(span: RecordedSpan): void;
}

/** What recording needs, built once by `configure()`. */
export interface Runtime {
  readonly config: Config;
  readonly policy: TextPolicy;
  readonly sink: SpanSink;
  readonly exporter: SpanExporter;
  /** Absent where no cost is calculated. */
  readonly prices: PriceLookup | undefined;
}
