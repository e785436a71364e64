/**
 * A moment, kept as integer nanoseconds (contract 1) in two integers, so that no time costs a BigInt on the way in.
 */
export interface Instant {
  /** Whole milliseconds since the Unix epoch. */
  readonly epochMs: number;
  /** Nanoseconds within that millisecond: 0 to 999,999. */
  readonly nanos: number;
}

/** 9999-12-31T23:59:59.999Z, the last moment that RFC 3339 can write. */
const MAX_EPOCH_MS = 253_402_300_799_999;

const RFC_3339 =
  /^(\d{4}-\d\d-\d\d)[Tt ]((?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60))(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)$/;

/**
 * Reads a time from the wire: an RFC 3339 string, or a number of Unix epoch milliseconds (fractions allowed).
 *
 * @returns undefined where the value is neither, or lies before 1970 or after 9999.
 */
export function parseTimestamp(value: unknown): Instant | undefined {
  if (typeof value === "number") return fromEpochMs(value);
  if (typeof value !== "string") return undefined;
  return fromPlainUtc(value) ?? fromRfc3339(value);
}

/** An {@link Instant} from epoch milliseconds whose decimal fraction is read as it is written. */
export function fromEpochMs(value: number): Instant | undefined {
  if (!(value >= 0) || value > MAX_EPOCH_MS) return undefined;
  const epochMs = Math.trunc(value);
  if (epochMs === value) return { epochMs, nanos: 0 };
  // The shortest decimal that means this number, as it was written; below a nanosecond it has an exponent.
  const decimals = value < 1e-6 ? "" : (String(value).split(".")[1] ?? "");
  return { epochMs, nanos: Number(decimals.slice(0, 6).padEnd(6, "0")) };
}

/**
 * `2026-11-21T05:57:56.123Z`, the layout that `Date.prototype.toISOString` writes and nearly every sender uses,
 * read without a regular expression: it is on the path of every span.
 */
function fromPlainUtc(text: string): Instant | undefined {
  const last = text.length - 1;
  // Behind the milliseconds stand none, three or six digits.
  if ((last !== 23 && last !== 26 && last !== 29) || text.charCodeAt(last) !== 0x5a) return undefined;
  if (text.charCodeAt(19) !== 0x2e) return undefined;
  const second = digits(text, 17);
  const ms = digits(text, 20) * 10 + digit(text, 22);
  const nanos = last === 23 ? 0 : nanosAt(text, last);
  if (nanos < 0) return undefined;
  // The spans of a trace are of the same minute. Texts as short as these two are copied and compared at once, where one
  // of all 17 characters would be compared one by one.
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
  // What is left out (the 29 February, the 31st of a month, leap seconds) goes the slower way, which knows the calendar.
  const plain = year >= 1970 && month >= 1 && month <= 12 && day >= 1 && day <= 28 + (month === 2 ? 0 : 2);
  const inDay = hour >= 0 && hour <= 23 && minute >= 0 && minute <= 59 && second >= 0 && second <= 59;
  if (!(plain && inDay && ms >= 0)) return undefined;
  lastMinuteMs = daysFromCivil(year, month, day) * 86_400_000 + hour * 3_600_000 + minute * 60_000;
  lastDay = text.slice(0, 10);
  lastMinute = text.slice(10, 17);
  return { epochMs: lastMinuteMs + second * 1000 + ms, nanos };
}

/** True for `2026-11-21T05:57:`, whatever the digits are. */
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
 * The last minute read, as text and as time. One entry for the process: parsing is pure, so no caller can observe the
 * cache, and a parser object would have to reach every place that reads a time.
 */
let lastDay = "";
let lastMinute = "";
let lastMinuteMs = 0;

/** What stands between the milliseconds and the end; negative where it is no number. */
function nanosAt(text: string, end: number): number {
  const micros = digits(text, 23) * 10 + digit(text, 25);
  return end === 26 ? micros * 1000 : micros * 1000 + digits(text, 26) * 10 + digit(text, 28);
}

/** Two digits. */
function digits(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1);
}

/** So far below zero where it is none that what it is a part of is negative too. */
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
  // Date.parse rolls 30 February over into March; a day that does not exist is no time.
  const midnight = Date.parse(`${date}T00:00:00Z`);
  if (!(midnight >= 0) || new Date(midnight).toISOString().slice(0, 10) !== date) return undefined;
  // RFC 3339 allows a leap second, which JavaScript's dates do not know: it is the first moment of the next minute.
  const leapSecond = time.endsWith(":60");
  const clock = leapSecond ? `${time.slice(0, 6)}59` : time;
  const seconds = Date.parse(`${date}T${clock}${offset.toUpperCase()}`) + (leapSecond ? 1000 : 0);
  if (!(seconds >= 0) || seconds > MAX_EPOCH_MS) return undefined;
  const nanosOfSecond = Number(fraction.slice(0, 9).padEnd(9, "0"));
  const ms = Math.trunc(nanosOfSecond / 1e6);
  return { epochMs: seconds + ms, nanos: nanosOfSecond - ms * 1e6 };
}

/** Moves a moment by a number of milliseconds (fractions allowed, either sign), at most to the end of 9999. */
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

/** Milliseconds from `from` to `to`, negative where `to` is earlier. */
export function elapsedMs(from: Instant, to: Instant): number {
  // Whole nanoseconds over 1e6 keep the decimals short: 1.2 and not 1.2000000000000002.
  const wholeMs = to.epochMs - from.epochMs;
  const nanos = to.nanos - from.nanos;
  return nanos === 0 ? wholeMs : Math.round(wholeMs * 1e6 + nanos) / 1e6;
}

/** Orders two moments: negative where `a` is earlier. */
export function compareInstants(a: Instant, b: Instant): number {
  return a.epochMs - b.epochMs || a.nanos - b.nanos;
}

/** Writes a moment as RFC 3339 in UTC: milliseconds always, micro- and nanoseconds where they are not zero. */
export function formatInstant({ epochMs, nanos }: Instant): string {
  const minute = Math.floor(epochMs / 60_000);
  const ms = epochMs - minute * 60_000;
  const second = Math.trunc(ms / 1000);
  const upToMs = `${second < 10 ? "0" : ""}${second}.${threeDigits(ms - second * 1000)}`;
  // Short texts are joined first: what is joined to a long one is copied once more when it is read.
  const withinMinute = `${upToMs}${digitsOfNanos(nanos)}Z`;
  return `${writtenMinute(minute)}${withinMinute}`;
}

function digitsOfNanos(nanos: number): string {
  if (nanos === 0) return "";
  const micros = Math.trunc(nanos / 1000);
  const rest = nanos - micros * 1000;
  return rest === 0 ? threeDigits(micros) : `${threeDigits(micros)}${threeDigits(rest)}`;
}

/** The last minutes written, one per slot. The spans of a trace usually lie in one or two minutes. A cache like `lastDay`. */
const WRITTEN_MINUTES = 4;
const writtenMinutes = new Array<number>(WRITTEN_MINUTES).fill(Number.NaN);
const writtenTexts = new Array<string>(WRITTEN_MINUTES).fill("");

/** Up to the seconds: `2026-11-21T05:57:`. */
function writtenMinute(minute: number): string {
  const place = minute % WRITTEN_MINUTES;
  if (writtenMinutes[place] !== minute) {
    writtenMinutes[place] = minute;
    writtenTexts[place] = new Date(minute * 60_000).toISOString().slice(0, 17);
  }
  return writtenTexts[place] ?? "";
}

function threeDigits(value: number): string {
  if (value >= 100) return String(value);
  return value >= 10 ? `0${value}` : `00${value}`;
}
