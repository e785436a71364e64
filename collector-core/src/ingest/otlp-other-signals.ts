import { ApiError } from "../api-schema/errors.js";
import type { IngestRoute } from "./ingest-route.js";
import { formatOtlpError } from "./otlp-encoding.js";

/** OTLP signals that the collector does not accept. */
export type OtherSignal = "metrics" | "logs";

/**
 * `POST /v1/metrics` and `POST /v1/logs`. An application with one OTLP endpoint sends these too. The status stops an
 * exporter from retrying, and the message names the setting that disables the signal.
 */
export function createOtherSignalRoute(signal: OtherSignal): Required<IngestRoute> {
  return {
    handle: async () => {
      throw new ApiError(
        "not_found",
        `The collector accepts only traces, at POST /v1/traces. Set OTEL_${signal.toUpperCase()}_EXPORTER=none.`,
      );
    },
    formatError: formatOtlpError,
  };
}
