import { inspect } from "node:util";
import { pino } from "pino";
import { LOG_LEVELS, type LogLevel } from "../config/options.js";
import { openLogFile, type LogFile } from "./log-file.js";
import { lineWriter } from "./line-writer.js";
import { plainLine, type LogRecord } from "./plain-line.js";

/** Facts that go with a message, such as `service`. Any value is taken, a circular one too. */
export type LogContext = Readonly<Record<string, unknown>>;

/** Writes log lines. No call of it throws. */
export interface Logger {
  debug(message: string, context?: LogContext): void;
  info(message: string, context?: LogContext): void;
  warning(message: string, context?: LogContext): void;
  error(message: string, context?: LogContext): void;
  critical(message: string, context?: LogContext): void;
  /** A logger that writes to the same places under another name (the field `logger`). */
  child(name: string): Logger;
  /** Lines that the log file could not take. 0 where there is none. */
  readonly fileErrors: number;
  /** Puts what the log file was given on the disk. Lines on stderr are written as they are logged. */
  flush(): void;
  /** Flushes and closes the log file; stderr goes on. Safe twice. */
  close(): void;
}

/** {@link createLogger}'s argument. */
export interface LoggerOptions {
  /** Least important level that is written (`logging.level`). */
  readonly level: LogLevel;
  /** JSON lines instead of lines for people (`logging.structured`). */
  readonly structured: boolean;
  /** File that mirrors the log (`logging.log_file`). */
  readonly logFile?: string | undefined;
  /** Colours the plain lines on stderr, never those of the file. Default: false. */
  readonly colour?: boolean;
  /** Takes each line, with its line break. Default: the process's stderr, written at once. */
  readonly stderr?: (line: string) => void;
}

/** The fields of every line (spec 2.6). */
const OWN_FIELDS = new Set(["timestamp", "level", "logger", "message"]);
const ROOT_NAME = "obspan";
/** How long a line may wait for whoever reads stderr. */
const STDERR_PATIENCE_MS = 200;

type PinoLevel = Lowercase<LogLevel>;
const PINO_LEVELS = Object.fromEntries(
  LOG_LEVELS.map((level, index) => [level.toLowerCase(), (index + 1) * 10]),
) as Record<PinoLevel, number>;

/**
 * Makes the log: lines on stderr, and in a file where one is named (spec 2.6).
 *
 * @throws what the system says, where the log file cannot be opened. One that fails later is counted in
 * `fileErrors`, and said once.
 */
export function createLogger(options: LoggerOptions): Logger {
  const { level, structured, colour = false, stderr = stderrWriter() } = options;
  const file = options.logFile === undefined ? undefined : openLogFile(options.logFile);
  const toText = structured
    ? (line: string) => timeFirst(line)
    : (line: string, coloured: boolean) => `${plainLine(JSON.parse(line) as LogRecord, coloured)}\n`;
  let saidFileError = false;

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
    if (failure === undefined || saidFileError) return;
    saidFileError = true; // before the line that says so, which comes by here again
    wrap(root, "logging").error("The log file cannot be written. Its lines are lost; stderr goes on.", {
      log_file: options.logFile,
      error: failure.message,
    });
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

/** A context that does not clash with a line's own fields, and whose errors keep their stack and cause. */
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

/** pino puts the level before all else; people look for the time there. */
function timeFirst(line: string): string {
  return line.replace(/^\{("level":"\w+"),("timestamp":"[^"]+")/, "{$2,$1");
}

/** What cannot be written to stderr is lost: there is nobody left to tell. */
function stderrWriter(): (line: string) => void {
  const STDERR = 2; // `process.stderr.fd` would open a stream, which throws by an event
  return lineWriter(STDERR, STDERR_PATIENCE_MS);
}
