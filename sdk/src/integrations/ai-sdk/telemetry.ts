import { createTelemetry6 } from "./telemetry-6.js";
import { createTelemetry7 } from "./telemetry-7.js";
import type { Telemetry } from "./telemetry-callbacks.js";

/** The code that records operations, as one chunk: `register` loads it with the first operation. */
export const TELEMETRY: Telemetry = { version7: createTelemetry7(), createTelemetry6 };
