import { whole } from "../../runtime/counted.js";
import { costText, durationText } from "../../share/trace-facts.js";
import type { TraceSummary } from "../../api-schema/trace.js";
import type { Cell, Format } from "./answer/answer.js";

/** `1.24 s`. */
export const asDuration: Format = durationText;
/** `$0.0309`; nothing for 0, which is most often a missing price. */
export const asCost: Format = (usd) => (usd === 0 ? "" : costText(usd));
/** `18,002`; nothing for 0. */
export const asCount: Format = (count) => (count === 0 ? "" : whole(count));
/** `12.5 %`. */
export const asShare: Format = (share) => `${Number((share * 100).toPrecision(3))} %`;
/** Costs are shown in hundredths of a cent. */
const LEAST_COST = 0.00005;

/** `+1.24 s`, `-80 ms`. */
export const asDurationDelta: Format = (ms) => (ms === 0 ? "" : signed(ms, durationText));
/** `+$0.0100`. */
export const asCostDelta: Format = (usd) => (Math.abs(usd) < LEAST_COST ? "" : signed(usd, costText));
/** `+1,200`. */
export const asCountDelta: Format = (count) => (count === 0 ? "" : signed(count, whole));

/** `11-23 14:02:11`, in UTC. */
export const asTime: Format = (ms) => new Date(ms).toISOString().slice(5, 19).replace("T", " ");

/** A cost, or a difference of costs, of which a collector may have computed some. */
export function costCell(usd: number | null, isComputed: boolean): Cell {
  return isComputed && usd !== null && usd !== 0 ? { computed: usd } : usd;
}

/** The cost of a trace, or of several. */
export function sumCell({
  cost_usd: usd,
  cost_source: source,
}: Pick<TraceSummary, "cost_usd" | "cost_source">): Cell {
  return costCell(usd, source === "computed");
}

/** What a program needs to know of a number that has a format. */
const UNITS: ReadonlyMap<Format, string> = new Map([
  [asDuration, "ms"],
  [asDurationDelta, "ms"],
  [asCost, "usd"],
  [asCostDelta, "usd"],
  [asShare, "ratio"],
  [asTime, "unix_ms"],
]);

/** `duration` with {@link asDuration} becomes `duration_ms`, and `Tokens in → out` becomes `tokens_in_out`. */
export function dataKey(name: string, format?: Format): string {
  const key = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_|_$/g, "");
  const unit = format && UNITS.get(format);
  return unit === undefined ? key : `${key}_${unit}`;
}

function signed(value: number, format: Format): string {
  return `${value < 0 ? "-" : "+"}${format(Math.abs(value))}`;
}

/** The value of a column with {@link asTime}. */
export function timeOf(rfc3339: string): number | null {
  const ms = Date.parse(rfc3339);
  return Number.isNaN(ms) ? null : ms;
}
