/** Digits of a fraction of a second that `Date` reads; the rest is lost to it. */
const FRACTION = /\.\d+/;

/**
 * The milliseconds from one RFC 3339 time to another. Times carry nanoseconds, which epoch milliseconds as a number
 * cannot hold: whole seconds and fractions are taken apart first.
 *
 * @returns undefined where one of them is no time.
 */
export function millisecondsBetween(from: string, to: string): number | undefined {
  const [fromSecond, fromFraction] = splitTime(from);
  const [toSecond, toFraction] = splitTime(to);
  const ms = toSecond - fromSecond + (toFraction - fromFraction) * 1000;
  return Number.isFinite(ms) ? Math.round(ms * 1e6) / 1e6 : undefined;
}

function splitTime(time: string): [epochMs: number, fraction: number] {
  const match = FRACTION.exec(time);
  if (match === null) return [Date.parse(time), 0];
  const [fraction] = match;
  const whole = time.slice(0, match.index) + time.slice(match.index + fraction.length);
  return [Date.parse(whole), Number(`0${fraction}`)];
}
