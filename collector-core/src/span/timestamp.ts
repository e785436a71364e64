/**
 * A time with nanosecond precision (contract 1), in two integers to avoid BigInt on the ingestion path.
 */
export interface Instant {
  /** Whole milliseconds since the Unix epoch. */
  readonly epochMs: number;
  /** Nanoseconds within that millisecond: 0 to 999,999. */
  readonly nanos: number;
}

/** 9999-12-31T23:59:59.999Z, the last time that RFC 3339 can represent. */
const MAX_EPOCH_MS = 253_402_300_799_999;

const RFC_3339 =
  /^(\d{4}-\d\d-\d\d)[Tt ]((?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60))(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)$/;

/**
 * Parses a time: an RFC 3339 string, or a number of Unix epoch milliseconds (fractions allowed).
 *
 * @returns undefined if the value is neither, or is before 1970 or after 9999.
 */
export function parseTimestamp(value: unknown): Instant | undefined {
  if (typeof value === "number") return fromEpochMs(value);
  if (typeof value !== "string") return undefined;
  return fromPlainUtc(value) ?? fromRfc3339(value);
}

/** Converts epoch milliseconds to an {@link Instant}. Takes the fraction from the decimal digits of the number. */
export function fromEpochMs(value: number): Instant | undefined {
  if (!(value >= 0) || value > MAX_EPOCH_MS) return undefined;
  const epochMs = Math.trunc(value);
  if (epochMs === value) return { epochMs, nanos: 0 };
  // String() gives the shortest decimal, as the sender wrote it. Below 1e-6 it has an exponent.
  const decimals = value < 1e-6 ? "" : (String(value).split(".")[1] ?? "");
  return { epochMs, nanos: Number(decimals.slice(0, 6).padEnd(6, "0")) };
}

/**
 * Parses `2026-11-21T05:57:56.123Z`, the layout of `Date.prototype.toISOString` and of nearly every sender. It uses no
 * regular expression, since it runs for every span.
 */
function fromPlainUtc(text: string): Instant | undefined {
  const last = text.length - 1;
  // Up to six digits may follow the milliseconds: none, three or six.
  if ((last !== 23 && last !== 26 && last !== 29) || text.charCodeAt(last) !== 0x5a) return undefined;
  if (text.charCodeAt(19) !== 0x2e) return undefined;
  const second = digits(text, 17);
  const ms = digits(text, 20) * 10 + digit(text, 22);
  const nanos = last === 23 ? 0 : nanosAt(text, last);
  if (nanos < 0) return undefined;
  // The spans of a trace usually share a minute. V8 compares two strings this short faster than one of 17 characters.
  const isLastMinute = text.slice(0, 10) === lastDay && text.slice(10, 17) === lastMinute;
  if (isLastMinute && second >= 0 && second <= 59 && ms >= 0) {
    return { epochMs: lastMinuteMs + second * 1000 + ms, nanos };
  }
  if (!hasSeparators(text)) return undefined;
  const year = digits(text, 0) * 100 + digits(text, 2);
  const month = digits(text, 5);
  const day = digits(text, 8);
  const hour = digits(text, 11);
  const minute = digits(text, 14);
  // The slow path handles the rest: 29 February, the 31st of a month, leap seconds.
  const plain = year >= 1970 && month >= 1 && month <= 12 && day >= 1 && day <= 28 + (month === 2 ? 0 : 2);
  const inDay = hour >= 0 && hour <= 23 && minute >= 0 && minute <= 59 && second >= 0 && second <= 59;
  if (!(plain && inDay && ms >= 0)) return undefined;
  lastMinuteMs = daysFromCivil(year, month, day) * 86_400_000 + hour * 3_600_000 + minute * 60_000;
  lastDay = text.slice(0, 10);
  lastMinute = text.slice(10, 17);
  return { epochMs: lastMinuteMs + second * 1000 + ms, nanos };
}

/** True if the separators of `2026-11-21T05:57:` are in place. Does not check the digits. */
function hasSeparators(text: string): boolean {
  return (
    text.charCodeAt(4) === 0x2d &&
    text.charCodeAt(7) === 0x2d &&
    text.charCodeAt(10) === 0x54 &&
    text.charCodeAt(13) === 0x3a &&
    text.charCodeAt(16) === 0x3a
  );
}

/**
 * The last parsed minute, as text and as time. One entry for the process: parsing is pure, so no caller can observe the
 * cache, and a parser object would have to reach every place that reads a time.
 */
let lastDay = "";
let lastMinute = "";
let lastMinuteMs = 0;

/** Parses the digits after the milliseconds. Negative if they are invalid. */
function nanosAt(text: string, end: number): number {
  const micros = digits(text, 23) * 10 + digit(text, 25);
  return end === 26 ? micros * 1000 : micros * 1000 + digits(text, 26) * 10 + digit(text, 28);
}

/** Parses two digits. Negative if they are invalid. */
function digits(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1);
}

/** Parses a digit. An invalid digit is so negative that every sum with it is negative. */
function digit(text: string, at: number): number {
  const value = text.charCodeAt(at) - 0x30;
  return value >= 0 && value <= 9 ? value : -1_000_000;
}

/** Days since 1970-01-01 in the proleptic Gregorian calendar (Howard Hinnant's algorithm). */
function daysFromCivil(year: number, month: number, day: number): number {
  const shiftedYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(shiftedYear / 400);
  const yearOfEra = shiftedYear - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function fromRfc3339(text: string): Instant | undefined {
  const match = RFC_3339.exec(text);
  if (match === null) return undefined;
  const [, date = "", time = "", fraction = "", offset = ""] = match;
  // Reject days that do not exist: Date.parse rolls 30 February over into March.
  const midnight = Date.parse(`${date}T00:00:00Z`);
  if (!(midnight >= 0) || new Date(midnight).toISOString().slice(0, 10) !== date) return undefined;
  // RFC 3339 allows leap seconds, which Date rejects. They map to the start of the next minute.
  const leapSecond = time.endsWith(":60");
  const clock = leapSecond ? `${time.slice(0, 6)}59` : time;
  const seconds = Date.parse(`${date}T${clock}${offset.toUpperCase()}`) + (leapSecond ? 1000 : 0);
  if (!(seconds >= 0) || seconds > MAX_EPOCH_MS) return undefined;
  const nanosOfSecond = Number(fraction.slice(0, 9).padEnd(9, "0"));
  const ms = Math.trunc(nanosOfSecond / 1e6);
  return { epochMs: seconds + ms, nanos: nanosOfSecond - ms * 1e6 };
}

/** Adds milliseconds (fractions and negative values allowed) to a time, at most up to the end of 9999. */
export function addMs(instant: Instant, deltaMs: number): Instant {
  const wholeMs = Math.trunc(deltaMs);
  let epochMs = instant.epochMs + wholeMs;
  let nanos = instant.nanos + Math.round((deltaMs - wholeMs) * 1e6);
  while (nanos < 0) {
    nanos += 1_000_000;
    epochMs -= 1;
  }
  while (nanos >= 1_000_000) {
    nanos -= 1_000_000;
    epochMs += 1;
  }
  return epochMs > MAX_EPOCH_MS ? { epochMs: MAX_EPOCH_MS, nanos: 0 } : { epochMs, nanos };
}

/** Milliseconds from `from` to `to`, negative if `to` is earlier. */
export function elapsedMs(from: Instant, to: Instant): number {
  // Dividing whole nanoseconds by 1e6 gives 1.2 rather than 1.2000000000000002.
  const wholeMs = to.epochMs - from.epochMs;
  const nanos = to.nanos - from.nanos;
  return nanos === 0 ? wholeMs : Math.round(wholeMs * 1e6 + nanos) / 1e6;
}

/** Compares two times. Negative if `a` is earlier. */
export function compareInstants(a: Instant, b: Instant): number {
  return a.epochMs - b.epochMs || a.nanos - b.nanos;
}

/** Formats a time as RFC 3339 in UTC, with milliseconds, and with micro- and nanoseconds unless they are zero. */
export function formatInstant({ epochMs, nanos }: Instant): string {
  const minute = Math.floor(epochMs / 60_000);
  const ms = epochMs - minute * 60_000;
  const second = Math.trunc(ms / 1000);
  const upToMs = `${second < 10 ? "0" : ""}${second}.${threeDigits(ms - second * 1000)}`;
  // Concatenate the short strings first: V8 makes a rope of long ones, which is copied again when it is read.
  const withinMinute = `${upToMs}${digitsOfNanos(nanos)}Z`;
  return `${formatMinute(minute)}${withinMinute}`;
}

function digitsOfNanos(nanos: number): string {
  if (nanos === 0) return "";
  const micros = Math.trunc(nanos / 1000);
  const rest = nanos - micros * 1000;
  return rest === 0 ? threeDigits(micros) : `${threeDigits(micros)}${threeDigits(rest)}`;
}

/** The last formatted minutes, one per slot. The spans of a trace usually lie in one or two minutes. A cache like `lastDay`. */
const FORMATTED_MINUTES = 4;
const formattedMinutes = new Array<number>(FORMATTED_MINUTES).fill(Number.NaN);
const formattedTexts = new Array<string>(FORMATTED_MINUTES).fill("");

/** Formats a time up to the minute: `2026-11-21T05:57:`. */
function formatMinute(minute: number): string {
  const slot = minute % FORMATTED_MINUTES;
  if (formattedMinutes[slot] !== minute) {
    formattedMinutes[slot] = minute;
    formattedTexts[slot] = new Date(minute * 60_000).toISOString().slice(0, 17);
  }
  return formattedTexts[slot] ?? "";
}

function threeDigits(value: number): string {
  if (value >= 100) return String(value);
  return value >= 10 ? `0${value}` : `00${value}`;
}
