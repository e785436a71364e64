import { createLogger, type LoadedConfig, type Logger } from "@obspan/collector-core";
import { mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";

/** Beyond this the log of earlier runs is put aside at the start, so that two files of this size are kept at most. */
const ROTATE_BYTES = 10 * 1024 * 1024;

export interface AppLog {
  readonly log: Logger;
  /** Where the log is; undefined where it could not be written. */
  readonly logFile: string | undefined;
}

/** The log on stderr and in a file: the one that the configuration names, else `obspan.log` where logs of apps go. */
export function openLog({ config }: LoadedConfig, logsDirectory: string): AppLog {
  const options = { level: config["logging.level"], structured: config["logging.structured"] };
  const logFile = config["logging.log_file"] ?? join(logsDirectory, "obspan.log");
  try {
    if (config["logging.log_file"] === undefined) {
      mkdirSync(logsDirectory, { recursive: true });
      putAside(logFile);
    }
    return { log: createLogger({ ...options, logFile }), logFile };
  } catch (error) {
    // An app that starts without its log is worth more than one that does not start.
    const log = createLogger(options);
    log.error("The log file cannot be written; stderr goes on.", { log_file: logFile, error });
    return { log, logFile: undefined };
  }
}

function putAside(logFile: string): void {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size > ROTATE_BYTES) renameSync(logFile, `${logFile}.1`);
}
