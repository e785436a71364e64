import { omit } from "../../../store/omit.js";
import { formatCount, formatWhole } from "../../../format.js";
import type { AddressFilters } from "../use-filters.js";
import { classNames } from "../../../components/class-names.js";
import { beyond, isBeyond, type TimeBuckets } from "./time-buckets.js";
import styles from "./beyond-mark.module.css";

interface BeyondMarkProps extends AddressFilters {
  readonly side: "older" | "newer";
  readonly buckets: TimeBuckets;
}

/** Counts the traces that started too long before or after the bars, and lists them when it is pressed. */
export function BeyondMark({ side, buckets, filters, setFilters }: BeyondMarkProps) {
  const count = buckets[side];
  if (count === 0) return null;
  const isChosen = isBeyond(buckets, filters, side);
  const all = omit(omit(filters, "since"), "until");
  return (
    <button
      type="button"
      className={classNames(styles.mark, styles[side], isChosen && styles.on)}
      aria-pressed={isChosen}
      aria-label={`${formatWhole(count)} ${side} ${count === 1 ? "trace" : "traces"}`}
      onClick={() => setFilters(isChosen ? all : beyond(filters, buckets, side))}
    >
      {side === "newer" && "→ "}
      {formatCount(count)} {side}
      {side === "older" && " ←"}
    </button>
  );
}
