/** Fractional digits that `Date` reads; it drops the rest. */
const FRACTION = /\.\d+/;

/**
 * Milliseconds between two RFC 3339 times. Times have nanoseconds, which a number of epoch milliseconds cannot hold, so
 * seconds and fractions are subtracted separately.
 *
 * @returns undefined if one of them is not a time.
 */
export function millisecondsBetween(from: string, to: string): number | undefined {
  return millisecondsSince(from)(to);
}

/** The same for many times from one. */
export function millisecondsSince(from: string): (to: string) => number | undefined {
  const [fromSecond, fromFraction] = splitTime(from);
  return (to) => {
    const [toSecond, toFraction] = splitTime(to);
    const ms = toSecond - fromSecond + (toFraction - fromFraction) * 1000;
    return Number.isFinite(ms) ? Math.round(ms * 1e6) / 1e6 : undefined;
  };
}

function splitTime(time: string): [epochMs: number, fraction: number] {
  const match = FRACTION.exec(time);
  if (match === null) return [Date.parse(time), 0];
  const [fraction] = match;
  const whole = time.slice(0, match.index) + time.slice(match.index + fraction.length);
  return [Date.parse(whole), Number(`0${fraction}`)];
}
