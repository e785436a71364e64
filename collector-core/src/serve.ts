import type { LoadedConfig } from "./config/load-config.js";
import { createCollector, type Collector, type Ledger } from "./collector.js";
import { describeError } from "./describe-error.js";
import { isLoopback } from "./ingest/origin-guard.js";
import type { Logger } from "./logging/logger.js";
import { systemClock } from "./system-clock.js";

/** What {@link serve} needs. */
export interface ServeOptions {
  readonly loaded: LoadedConfig;
  readonly logger: Logger;
  readonly version: string;
}

/** A second signal within this time is the first one again: a terminal sends it to npm and to us. */
const SAME_SIGNAL_MS = 1000;
/** Exit codes of a shell for SIGINT and SIGTERM. */
const FORCED_EXIT = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Runs a collector until SIGTERM or SIGINT, then stops it by spec 4.9 rule 6 and logs the ledger as the last line.
 *
 * @returns the exit code: 0 after an orderly stop, 1 where it could not start or something went badly wrong.
 */
export async function serve({ loaded, logger, version }: ServeOptions): Promise<number> {
  const collector = await start({ loaded, logger, version });
  if (collector === undefined) return 1;
  logger.info(`Listening on ${collector.url}`, { version });
  warnOfOpenBind(loaded, logger);
  if (!loaded.config["logging.structured"]) process.stdout.write(welcome(collector.url));

  const { exitCode, reason } = await untilAskedToStop(logger);
  logger.info(`Stopping: ${reason}`, {
    grace_period_seconds: loaded.config["shutdown.grace_period_seconds"],
  });
  const ledger = await stopWithin(collector, loaded);
  logLedger(logger, ledger);
  return exitCode;
}

/** A collector that listens; undefined where it could not start, which is then logged with the remedy. */
async function start({ loaded, logger, version }: ServeOptions): Promise<Collector | undefined> {
  let collector: Collector | undefined;
  try {
    collector = await createCollector({ loaded, logger, version });
    await collector.start();
    return collector;
  } catch (error) {
    logger.critical(startFailure(error, loaded));
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

/** The grace period holds even where a part of the collector does not let go. */
async function stopWithin(collector: Collector, { config }: LoadedConfig): Promise<Ledger> {
  const limitMs = config["shutdown.grace_period_seconds"] * 1000 + 500;
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<Ledger>((resolve) => {
    // A timer of more than 2^31 ms would fire at once.
    timer = setTimeout(() => resolve(collector.ledger()), Math.min(limitMs, 2 ** 31 - 1));
  });
  const ledger = await Promise.race([collector.stop(), timeUp]);
  clearTimeout(timer);
  return ledger;
}

/** The last line: what became of every span (contract 4). */
function logLedger(logger: Logger, ledger: Ledger): void {
  logger.info("Ledger", {
    received: ledger.received,
    accepted: ledger.accepted,
    processed: ledger.processed,
    queued: ledger.queued,
    in_flight: ledger.inFlight,
    rejected: ledger.rejected,
    dropped: ledger.dropped,
  });
}

function startFailure(error: unknown, { config }: LoadedConfig): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const where = `port ${config["server.port"]} of ${config["server.host"]}`;
  switch (code) {
    case "EADDRINUSE":
      return `Cannot listen: ${where} is in use. Stop what listens there, or set OBS_SERVER_PORT to another port.`;
    case "EACCES":
      return `Cannot listen: ${where} may not be bound by this user. Set OBS_SERVER_PORT to a port above 1023.`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `Cannot listen: the name ${config["server.host"]} cannot be resolved. Set OBS_SERVER_HOST to an address of this machine.`;
    case "EADDRNOTAVAIL":
      return `Cannot listen: this machine has no address ${config["server.host"]}. Set OBS_SERVER_HOST to one that it has.`;
    default:
      return `Cannot start: ${describeError(error)}`;
  }
}

function warnOfOpenBind({ config }: LoadedConfig, logger: Logger): void {
  const host = config["server.host"];
  if (isLoopback(host)) return;
  logger.warning(
    `Bound to ${host}: whoever reaches this port can send spans and read traces. ` +
      "Set OBS_SERVER_HOST=127.0.0.1 to keep it to this machine.",
  );
}

function welcome(url: string): string {
  return `
  Traces    ${url}/v1/traces
  Metrics   ${url}/metrics
  API       ${url}/openapi.json

  Send a first trace:

    curl ${url}/v1/telemetry -H 'Content-Type: application/json' -d '{"service":"demo","spans":[
      {"name":"hello","span_type":"llm","trace_id":"first","duration_ms":420,"attributes":{"model":"gpt-5-mini","prompt_text":"Hi"}}]}'

`;
}
