import type { LoadedConfig } from "./config/load-config.js";
import { createCollector, type Collector } from "./collector.js";
import { describeError } from "./runtime/describe-error.js";
import type { Logger } from "./logging/logger.js";
import { printOut } from "./logging/terminal.js";
import { warnOfOpenBind } from "./process/open-bind.js";
import { stopInOrder } from "./process/orderly-stop.js";
import { startFailure } from "./process/start-failure.js";
import { systemClock } from "./runtime/clock.js";

/** What {@link serve} needs. */
export interface ServeOptions {
  readonly loaded: LoadedConfig;
  readonly logger: Logger;
  readonly version: string;
  /** The built web UI; undefined where it was not built. */
  readonly uiDirectory?: string | undefined;
}

/** A second signal within this time is the first one again: a terminal sends it to npm and to us. */
const SAME_SIGNAL_MS = 1000;
/**
 * Buffers of less than half of this are cut from a piece of memory that they share. Of Node's own 8 KiB none would be: the JSON
 * of ten spans is longer, and each batch would be allocated and freed by itself.
 */
const BUFFER_POOL_BYTES = 64 * 1024;
/** Exit codes of a shell for SIGINT and SIGTERM. */
const FORCED_EXIT = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Runs a collector until SIGTERM, SIGINT or SIGHUP, then stops it by spec 4.9 rule 6 and logs the ledger as the last line.
 *
 * @returns the exit code: 0 after an orderly stop, 1 where it could not start or something went badly wrong.
 */
export async function serve(options: ServeOptions): Promise<number> {
  const { loaded, logger, version } = options;
  Buffer.poolSize = BUFFER_POOL_BYTES;
  // A signal may come while it starts, and right after it has said that it listens.
  const askedToStop = untilAskedToStop(logger);
  const collector = await start(options);
  if (collector === undefined) return 1;
  logger.info(`Listening on ${collector.url}`, { version });
  warnOfOpenBind(loaded, logger);
  // A greeting: whether somebody reads it matters to nothing.
  if (!loaded.config["logging.structured"])
    printOut(welcome(collector.url, options.uiDirectory !== undefined));

  const { exitCode, reason } = await askedToStop;
  await stopInOrder({ collector, loaded, logger, reason });
  return exitCode;
}

/** A collector that listens; undefined where it could not start, which is then logged with the remedy. */
async function start(options: ServeOptions): Promise<Collector | undefined> {
  let collector: Collector | undefined;
  try {
    collector = await createCollector(options);
    await collector.start();
    return collector;
  } catch (error) {
    options.logger.critical(startFailure(error, options.loaded));
    await collector?.stop();
    return undefined;
  }
}

interface StopRequest {
  readonly exitCode: number;
  readonly reason: string;
}

/** Resolves at the first signal, or when something went wrong that no part of the collector caught. */
function untilAskedToStop(logger: Logger): Promise<StopRequest> {
  return new Promise((resolve) => {
    let askedAtMs: number | undefined;
    const onSignal = (signal: "SIGINT" | "SIGTERM"): void => {
      const nowMs = systemClock.monotonic();
      if (askedAtMs !== undefined && nowMs - askedAtMs > SAME_SIGNAL_MS) process.exit(FORCED_EXIT[signal]);
      askedAtMs ??= nowMs;
      resolve({ exitCode: 0, reason: signal });
    };
    // The terminal was closed. Whoever closes it is not impatient: a repeat forces nothing.
    process.on("SIGHUP", () => resolve({ exitCode: 0, reason: "SIGHUP" }));
    process.on("SIGINT", onSignal);
    process.on("SIGTERM", onSignal);
    process.on("unhandledRejection", (reason) => {
      logger.critical(`Unhandled rejection: ${describeError(reason)}`);
    });
    process.on("uncaughtException", (error) => {
      logger.critical(`Uncaught exception: ${describeError(error)}`);
      resolve({ exitCode: 1, reason: "uncaught exception" });
    });
  });
}

function welcome(url: string, hasUi: boolean): string {
  return `
  Traces    ${hasUi ? url : `${url}/v1/traces`}
  Metrics   ${url}/metrics
  API       ${url}/openapi.json

  Send a first trace:

    curl ${url}/v1/telemetry -H 'Content-Type: application/json' -d '{"service":"demo","spans":[
      {"name":"hello","span_type":"llm","trace_id":"first","duration_ms":420,"attributes":{"model":"gpt-5-mini","prompt_text":"Hi"}}]}'

`;
}
