/** Formats of numbers, times and sizes (the mockups' "Words"). Value and unit are separate. */

/** A value with its unit, which is shown smaller. */
export interface Quantity {
  readonly value: string;
  readonly unit: string;
}

/** `460 ms`, `14.82 s`, `3 m 04 s`, `2 h 05 m`, by unit. */
export function durationParts(ms: number): readonly [Quantity, Quantity?] {
  if (ms < 10 && ms % 1 !== 0) return [{ value: ms.toFixed(ms < 1 ? 2 : 1), unit: "ms" }];
  if (ms < 999.5) return [{ value: String(Math.round(ms)), unit: "ms" }];
  if (ms < 59_995) return [{ value: (ms / 1000).toFixed(2), unit: "s" }];
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return sixtieths(seconds, "m", "s");
  return sixtieths(Math.round(seconds / 60), "h", "m");
}

function sixtieths(count: number, unit: string, smaller: string): readonly [Quantity, Quantity] {
  return [
    { value: String(Math.floor(count / 60)), unit },
    { value: padded(count % 60), unit: smaller },
  ];
}

/** The same, in one value before the last unit. */
export function formatDuration(ms: number): Quantity {
  const [first, second] = durationParts(ms);
  if (second === undefined) return first;
  return { value: `${first.value} ${first.unit} ${second.value}`, unit: second.unit };
}

/** The same as one text. */
export function durationText(ms: number): string {
  const { value, unit } = formatDuration(ms);
  return `${value} ${unit}`;
}

/** `412`, `18.0k`, `1.2M`: for columns. */
export function formatCount(count: number): string {
  if (count < 1000) return String(count);
  if (count < 999_950) return `${(count / 1000).toFixed(1)}k`;
  return `${(count / 1e6).toFixed(1)}M`;
}

/** `18,002`: for headers. */
export function formatWhole(count: number): string {
  return count.toLocaleString("en-US");
}

/** `18,002 of 50,000`; the count alone without a limit. */
export function formatOf(count: number, limit: number | null): string {
  return limit === null ? formatWhole(count) : `${formatWhole(count)} of ${formatWhole(limit)}`;
}

/** `$0.0309` below a dollar, `$21.74` above, `$1,235` from a thousand on. */
export function formatCost(usd: number): string {
  if (usd === 0) return "$0";
  if (usd < 0.00005) return "<$0.0001";
  if (usd >= 999.995) return `$${formatWhole(Math.round(usd))}`;
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}

/** `.88`, `1.0`. */
export function formatScore(score: number): string {
  const text = score.toFixed(2);
  return text.startsWith("0") ? text.slice(1) : "1.0";
}

/** `14:32:20`, in the reader's time zone. */
export function formatTime(rfc3339: string): string {
  const time = new Date(rfc3339);
  return `${padded(time.getHours())}:${padded(time.getMinutes())}:${padded(time.getSeconds())}`;
}

/** `14:32:20.118`. */
export function formatPreciseTime(rfc3339: string): string {
  return `${formatTime(rfc3339)}.${String(new Date(rfc3339).getMilliseconds()).padStart(3, "0")}`;
}

/** Created once, because creating it takes longer than using it. */
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** `21 Nov`. */
export function formatDay(rfc3339: string): string {
  return DAY.format(new Date(rfc3339));
}

/** Cuts an id in the middle, because both ends help to recognise it. */
export function shortenId(id: string, length = 16): string {
  if (id.length <= length) return id;
  const half = Math.floor((length - 1) / 2);
  return `${id.slice(0, half)}…${id.slice(-half)}`;
}

function padded(value: number): string {
  return String(value).padStart(2, "0");
}
