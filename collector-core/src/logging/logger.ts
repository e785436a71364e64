import { inspect } from "node:util";
import { pino } from "pino";
import { LOG_LEVELS, type LogLevel } from "../config/options.js";
import { openLogFile, type LogFile } from "./log-file.js";
import { lineWriter } from "./line-writer.js";
import { plainLine, type LogRecord } from "./plain-line.js";

/** Fields of a message, such as `service`. Any value is allowed, including circular objects. */
export type LogContext = Readonly<Record<string, unknown>>;

/** Writes log lines. Its methods never throw. */
export interface Logger {
  debug(message: string, context?: LogContext): void;
  info(message: string, context?: LogContext): void;
  warning(message: string, context?: LogContext): void;
  error(message: string, context?: LogContext): void;
  critical(message: string, context?: LogContext): void;
  /** Returns a logger with another name (the field `logger`) and the same outputs. */
  child(name: string): Logger;
  /** Lines that failed to be written to the log file. 0 without a log file. */
  readonly fileErrors: number;
  /** Syncs the log file to disk. Lines on stderr are written synchronously. */
  flush(): void;
  /** Flushes and closes the log file. Logging to stderr continues. May be called twice. */
  close(): void;
}

/** Options of {@link createLogger}. */
export interface LoggerOptions {
  /** Lowest level that is written (`logging.level`). */
  readonly level: LogLevel;
  /** Writes JSON lines instead of plain lines (`logging.structured`). */
  readonly structured: boolean;
  /** File that mirrors the log (`logging.log_file`). */
  readonly logFile?: string | undefined;
  /** Colours plain lines on stderr, not in the file. Default: false. */
  readonly colour?: boolean;
  /** Receives each line with its line break. Default: writes synchronously to stderr. */
  readonly stderr?: (line: string) => void;
}

/** The fields of every line (spec 2.6). */
const OWN_FIELDS = new Set(["timestamp", "level", "logger", "message"]);
const ROOT_NAME = "obspan";
/** Longest wait for a slow reader of stderr. */
const STDERR_PATIENCE_MS = 200;

type PinoLevel = Lowercase<LogLevel>;
const PINO_LEVELS = Object.fromEntries(
  LOG_LEVELS.map((level, index) => [level.toLowerCase(), (index + 1) * 10]),
) as Record<PinoLevel, number>;

/**
 * Creates a logger that writes to stderr and to the optional log file (spec 2.6).
 *
 * @throws the error of the file system if the log file cannot be opened. Later failures are counted in `fileErrors`
 * and logged once.
 */
export function createLogger(options: LoggerOptions): Logger {
  const { level, structured, colour = false, stderr = stderrWriter() } = options;
  const file = options.logFile === undefined ? undefined : openLogFile(options.logFile);
  const toText = structured
    ? (line: string) => timeFirst(line)
    : (line: string, coloured: boolean) => `${plainLine(JSON.parse(line) as LogRecord, coloured)}\n`;
  let hasLoggedFileError = false;

  const root = pino<PinoLevel>(
    {
      level: level.toLowerCase(),
      customLevels: PINO_LEVELS,
      useOnlyCustomLevels: true,
      base: null,
      timestamp: () => `,"timestamp":"${new Date().toISOString()}"`,
      messageKey: "message",
      formatters: { level: (label) => ({ level: label.toUpperCase() }) },
    },
    { write },
  );
  return wrap(root, ROOT_NAME);

  function write(line: string): void {
    const plain = toText(line, false);
    stderr(colour ? toText(line, true) : plain);
    const failure = file?.write(plain);
    if (failure === undefined || hasLoggedFileError) return;
    hasLoggedFileError = true; // first, because the next call runs this function again
    wrap(root, "logging").error(
      "Cannot write to the log file. Its lines are lost; logging to stderr continues.",
      {
        log_file: options.logFile,
        error: failure.message,
      },
    );
  }

  function wrap(parent: typeof root, name: string): Logger {
    const logger = parent.child({ logger: name });
    const log = (at: PinoLevel) => (message: string, context?: LogContext) => {
      if (logger.isLevelEnabled(at)) logger[at]({ message, ...printable(context) });
    };
    return {
      debug: log("debug"),
      info: log("info"),
      warning: log("warning"),
      error: log("error"),
      critical: log("critical"),
      child: (childName) => wrap(root, childName),
      get fileErrors() {
        return file?.errors ?? 0;
      },
      flush: () => file?.flush(),
      close: () => closeFile(file),
    };
  }
}

function closeFile(file: LogFile | undefined): void {
  file?.flush();
  file?.close();
}

/** Renames fields that clash with the fields of every line, and formats errors with stack and cause. */
function printable(context: LogContext | undefined): LogContext {
  if (context === undefined) return {};
  try {
    const entries = Object.entries(context).map(([key, value]): [string, unknown] => [
      OWN_FIELDS.has(key) ? `${key}_` : key,
      value instanceof Error ? inspect(value) : typeof value === "bigint" ? String(value) : value,
    ]);
    return Object.fromEntries(entries);
  } catch {
    return { context: "(cannot be read)" }; // a getter threw
  }
}

/** Moves the time before the level: pino writes the level first. */
function timeFirst(line: string): string {
  return line.replace(/^\{("level":"\w+"),("timestamp":"[^"]+")/, "{$2,$1");
}

/** Errors of stderr are ignored: there is no other output. */
function stderrWriter(): (line: string) => void {
  const STDERR = 2; // `process.stderr.fd` opens a stream, which reports errors as events
  return lineWriter(STDERR, STDERR_PATIENCE_MS);
}
