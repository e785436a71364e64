import { createLogger, type LoadedConfig, type Logger } from "@obspan/collector-core";
import { mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";

/** At this size the log is rotated at the start, so that at most two such files exist. */
const ROTATE_BYTES = 10 * 1024 * 1024;

export interface AppLog {
  readonly log: Logger;
  /** Path of the log; undefined if it cannot be written. */
  readonly logFile: string | undefined;
}

/** Logs to stderr and to a file: the configured one, otherwise `obspan.log` in the system's log directory. */
export function openLog({ config }: LoadedConfig, logsDirectory: string): AppLog {
  const options = { level: config["logging.level"], structured: config["logging.structured"] };
  const logFile = config["logging.log_file"] ?? join(logsDirectory, "obspan.log");
  try {
    if (config["logging.log_file"] === undefined) {
      mkdirSync(logsDirectory, { recursive: true });
      rotate(logFile);
    }
    return { log: createLogger({ ...options, logFile }), logFile };
  } catch (error) {
    // Starting without a log file is better than not starting.
    const log = createLogger(options);
    log.error("The log file cannot be written. The log continues on stderr.", { log_file: logFile, error });
    return { log, logFile: undefined };
  }
}

function rotate(logFile: string): void {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= ROTATE_BYTES) return;
  try {
    renameSync(logFile, `${logFile}.1`);
  } catch {
    // On Windows, while another program has it open. The next start tries again.
  }
}
