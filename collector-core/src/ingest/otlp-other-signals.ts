import { ApiError } from "../api-schema/errors.js";
import type { IngestRoute } from "./ingest-route.js";
import { answerOtlpError } from "./otlp-encoding.js";

/** What {@link createOtherSignalRoute} answers for. */
export type OtherSignal = "metrics" | "logs";

/**
 * `POST /v1/metrics` and `POST /v1/logs`: an application whose one endpoint is the collector sends these too. They are
 * refused for good, which stops an exporter from trying again, with what to set.
 */
export function createOtherSignalRoute(signal: OtherSignal): Required<IngestRoute> {
  return {
    handle: async () => {
      throw new ApiError(
        "not_found",
        `The collector takes traces only, at POST /v1/traces. Set OTEL_${signal.toUpperCase()}_EXPORTER=none.`,
      );
    },
    answerError: answerOtlpError,
  };
}
