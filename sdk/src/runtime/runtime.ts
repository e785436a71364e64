import type { SpanExporter } from "../export/exporter.js";
import type { SpanPricer } from "../prices/span-pricer.js";
import { processWide } from "../process-wide.js";
import type { SpanRecorder } from "../span/recorded-span.js";

/** What recording needs. `configure()` builds it once. */
export interface Runtime extends SpanRecorder {
  readonly exporter: SpanExporter;
  /** Absent if no cost is calculated. */
  readonly prices: SpanPricer | undefined;
}

/** Whether this process records. */
export interface RecordingState {
  /** Present while spans are recorded. */
  runtime: Runtime | undefined;
  /**
   * - `initial`: no wrapped call ran and `configure()` was not called.
   * - `unset`: a wrapped call ran and the environment has no option. One warning was given; `configure()` still works.
   * - `frozen`: configured, or turned off by an invalid variable.
   */
  phase: "initial" | "unset" | "frozen";
}

/** The one state of the process: every copy of the package records with the same configuration. */
export const recordingState: RecordingState = processWide("recording", () => ({
  runtime: undefined,
  phase: "initial",
}));
