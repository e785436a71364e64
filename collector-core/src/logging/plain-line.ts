/** A log record as pino writes it. */
export interface LogRecord {
  readonly timestamp: string;
  readonly level: string;
  readonly logger: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

/** Column widths: the longest level name, and the length of most logger names. */
const LEVEL_WIDTH = 8;
const LOGGER_WIDTH = 8;

const RESET = "\u001b[0m";
const DIM = "\u001b[2m";
const LEVEL_COLOURS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    DEBUG: DIM,
    INFO: "\u001b[32m",
    WARNING: "\u001b[33m",
    ERROR: "\u001b[31m",
    CRITICAL: "\u001b[1;31m",
  }),
);

/**
 * Formats a record as a plain line: time, level, logger, message, context as `key=value`. Line breaks and control
 * characters are escaped, so that no text can forge a log line or send terminal sequences.
 */
export function plainLine(
  { timestamp, level, logger, message, ...context }: LogRecord,
  colour: boolean,
): string {
  const paint = (code: string | undefined, text: string) => (colour && code ? code + text + RESET : text);
  const fields = Object.entries(context).map(([key, value]) => `${escaped(key)}=${contextValue(value)}`);
  return [
    paint(DIM, timestamp),
    paint(LEVEL_COLOURS.get(level), level.padEnd(LEVEL_WIDTH)),
    escaped(logger).padEnd(LOGGER_WIDTH),
    escaped(message) + (fields.length === 0 ? "" : ` ${paint(DIM, fields.join(" "))}`),
  ].join(" ");
}

function contextValue(value: unknown): string {
  if (typeof value === "string" && /^[^\s"'=\\]+$/.test(value)) return escaped(value);
  return escaped(JSON.stringify(value));
}

function escaped(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Zl}\p{Zp}]/gu,
    (character) => ESCAPES.get(character) ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);
