import type { LoadedConfig } from "./config/load-config.js";
import { createCollector, type Collector } from "./collector.js";
import { describeError, errorMessage } from "./runtime/describe-error.js";
import type { Logger } from "./logging/logger.js";
import { printOut } from "./logging/terminal.js";
import { warnOfOpenBind } from "./process/open-bind.js";
import { stopInOrder } from "./process/orderly-stop.js";
import { startFailure } from "./process/start-failure.js";
import { welcome } from "./process/welcome.js";
import { systemClock } from "./runtime/clock.js";

/** Options of {@link serve}. */
export interface ServeOptions {
  readonly loaded: LoadedConfig;
  readonly logger: Logger;
  readonly version: string;
  /** Directory of the web UI; undefined if it was not built. */
  readonly uiDirectory?: string | undefined;
}

/** A second signal within this time is a duplicate: a terminal sends it to npm and to this process. */
const SAME_SIGNAL_MS = 1000;
/**
 * Node.js allocates buffers smaller than half of this from a shared pool. Its default of 8 KiB is too small for the JSON
 * of ten spans, so that each batch needs an allocation of its own.
 */
const BUFFER_POOL_BYTES = 64 * 1024;
/** Exit codes of a shell for SIGINT and SIGTERM. */
const FORCED_EXIT = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Runs a collector until SIGTERM, SIGINT or SIGHUP, then stops it by spec 4.9 rule 6 and logs the ledger as the last line.
 *
 * @returns the exit code: 0 after an orderly stop, 1 after a failed start or an uncaught exception.
 */
export async function serve(options: ServeOptions): Promise<number> {
  const { loaded, logger, version } = options;
  Buffer.poolSize = BUFFER_POOL_BYTES;
  // Before the start: a signal may arrive at any time.
  const stopRequested = waitForStopRequest(logger);
  const collector = await start(options);
  if (collector === undefined) return 1;
  logger.info(`Listening on ${collector.url}`, { version });
  warnOfOpenBind(loaded, logger);
  // Errors of printing the welcome text are ignored.
  if (!loaded.config["logging.structured"])
    printOut(
      welcome({
        url: collector.url,
        hasUi: options.uiDirectory !== undefined,
        config: loaded.config,
        traceDirectory: collector.traceDirectory,
      }),
    );

  const { exitCode, reason } = await stopRequested;
  await stopInOrder({ collector, loaded, logger, reason });
  return exitCode;
}

/** Starts a collector. Logs a failure with its remedy and returns undefined. */
async function start(options: ServeOptions): Promise<Collector | undefined> {
  let collector: Collector | undefined;
  try {
    collector = await createCollector(options);
    await collector.start();
    return collector;
  } catch (error) {
    options.logger.critical(startFailure(error, options.loaded));
    options.logger.debug("The start failed.", { error: describeError(error) });
    await collector?.stop();
    return undefined;
  }
}

interface StopRequest {
  readonly exitCode: number;
  readonly reason: string;
}

/** Resolves at the first signal or uncaught exception. */
function waitForStopRequest(logger: Logger): Promise<StopRequest> {
  return new Promise((resolve) => {
    let firstSignalMs: number | undefined;
    const onSignal = (signal: "SIGINT" | "SIGTERM"): void => {
      const nowMs = systemClock.monotonic();
      if (firstSignalMs !== undefined && nowMs - firstSignalMs > SAME_SIGNAL_MS)
        process.exit(FORCED_EXIT[signal]);
      firstSignalMs ??= nowMs;
      resolve({ exitCode: 0, reason: signal });
    };
    // SIGHUP means that the terminal was closed. A repeated SIGHUP does not force the exit.
    process.on("SIGHUP", () => resolve({ exitCode: 0, reason: "SIGHUP" }));
    process.on("SIGINT", onSignal);
    process.on("SIGTERM", onSignal);
    process.on("unhandledRejection", (reason) => {
      logger.critical(`Unhandled rejection: ${errorMessage(reason)}`, { error: describeError(reason) });
    });
    process.on("uncaughtException", (error) => {
      logger.critical(`Uncaught exception: ${errorMessage(error)}`, { error: describeError(error) });
      resolve({ exitCode: 1, reason: "uncaught exception" });
    });
  });
}
