/**
 * The collector as a library: the same core that `obspan serve` runs.
 *
 * @packageDocumentation
 */
export type { Ledger } from "./assembly/ledger.js";
export { createCollector, type Collector, type CollectorOptions } from "./collector.js";
export type { LiveStatus } from "./api-schema/live.js";
export type { TraceSummary } from "./api-schema/trace.js";
export { defaultConfigFile } from "./config/default-config-file.js";
export { loadConfig, type LoadedConfig } from "./config/load-config.js";
export { localDefaults } from "./config/local-defaults.js";
export { whenFree, writeBeside, writePrivateFile } from "./config/replace-file.js";
export { createLogger, type Logger } from "./logging/logger.js";
export { warnOfOpenBind } from "./process/open-bind.js";
export { stopInOrder } from "./process/orderly-stop.js";
export { isPortInUse, startFailure } from "./process/start-failure.js";
export { errorMessage } from "./runtime/describe-error.js";
