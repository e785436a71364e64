import { useMemo, useRef } from "react";
import { useTraces } from "../../../app-context.js";
import { useElementWidth } from "../../../components/use-element-width.js";
import { formatWhole } from "../../../format.js";
import { omit } from "../../../store/omit.js";
import type { AddressFilters } from "../use-filters.js";
import { BeyondMark } from "./beyond-mark.js";
import { HistogramBars } from "./histogram-bars.js";
import { HistogramTable } from "./histogram-table.js";
import { RangeThumb } from "./range-thumb.js";
import {
  bucketStart,
  chosenRange,
  isBeyond,
  sumOf,
  timeBuckets,
  withRange,
  type Bar,
  type BucketRange,
  type TimeBuckets,
} from "./time-buckets.js";
import { formatMoment, formatRange, timeLabels } from "./time-labels.js";
import { useBrush } from "./use-brush.js";
import { classNames } from "../../../components/class-names.js";
import textStyles from "../../../components/text.module.css";
import styles from "./histogram.module.css";

/** Histogram of the start times above the list. A time range is chosen by dragging or with the keys. */
export function Histogram(address: AddressFilters) {
  const histogram = useTraces((state) => state.histogram);
  const buckets = useMemo(() => histogram && timeBuckets(histogram), [histogram]);
  const plot = useRef<HTMLDivElement>(null);
  const width = useElementWidth(plot);
  return (
    <figure className={styles.histogram} aria-label="Traces over time">
      <div
        className={classNames(
          styles.plot,
          (buckets?.older ?? 0) > 0 && styles.hasOlder,
          (buckets?.newer ?? 0) > 0 && styles.hasNewer,
        )}
        ref={plot}
      >
        {buckets !== undefined && width > 0 && <Plot {...address} buckets={buckets} width={width} />}
      </div>
    </figure>
  );
}

interface PlotProps extends AddressFilters {
  readonly buckets: TimeBuckets;
  readonly width: number;
}

function Plot({ buckets: latest, width, filters, setFilters }: PlotProps) {
  const isChosen = filters.since !== undefined || filters.until !== undefined;
  const chosen = chosenRange(latest, filters);
  const brush = useBrush(latest, isChosen ? chosen : undefined, (range, drawnOn) =>
    setFilters(withRange(filters, drawnOn, range)),
  );
  const buckets = brush.held ?? latest;
  const count = buckets.bars.length;
  const isOutside = isBeyond(buckets, filters, "older") || isBeyond(buckets, filters, "newer");
  const shown = brush.drawn ?? (isChosen && !isOutside ? chosen : undefined);
  const nowMs = Date.now();
  const clear = (): void => setFilters(omit(omit(filters, "since"), "until"));
  const move = (range: BucketRange): void => setFilters(withRange(filters, buckets, range), true);
  const edgeText = (edge: number): string =>
    edge === count && buckets.newer === 0
      ? "now"
      : formatMoment(bucketStart(buckets, edge), buckets.lengthMs, nowMs);
  const hovered = brush.drawn ?? (brush.hovered === undefined ? undefined : oneBar(brush.hovered, count));

  return (
    <>
      <div className={styles.brushArea} data-testid="brush-area" {...brush.handlers} onDoubleClick={clear}>
        <HistogramBars buckets={buckets} width={width} />
        {shown !== undefined && <i className={styles.brush} style={placeOf(shown, count)} />}
        {brush.drawn === undefined && hovered !== undefined && (
          <i className={styles.hovered} style={placeOf(hovered, count)} />
        )}
      </div>
      <BeyondMark side="older" buckets={buckets} filters={filters} setFilters={setFilters} />
      <BeyondMark side="newer" buckets={buckets} filters={filters} setFilters={setFilters} />
      <RangeThumb
        name="Started from"
        side="start"
        value={shown?.from ?? 0}
        min={0}
        max={(shown?.to ?? count) - 1}
        count={count}
        text={edgeText(shown?.from ?? 0)}
        isSet={isChosen}
        onMove={(from) => move({ from, to: chosen.to })}
        onClear={clear}
      />
      <RangeThumb
        name="Started before"
        side="end"
        value={shown?.to ?? count}
        min={(shown?.from ?? 0) + 1}
        max={count}
        count={count}
        text={edgeText(shown?.to ?? count)}
        isSet={isChosen}
        onMove={(to) => move({ from: chosen.from, to })}
        onClear={clear}
      />
      <div className={styles.axis} aria-hidden>
        {timeLabels(buckets, width).map(({ at, text }) => (
          <span key={at} style={{ left: `${at * 100}%` }}>
            {text}
          </span>
        ))}
      </div>
      {hovered !== undefined && (
        <Readout
          text={formatRange(buckets, hovered.from, hovered.to, nowMs)}
          sum={sumOf(buckets, hovered)}
          at={(hovered.from + hovered.to) / 2 / count}
        />
      )}
      <HistogramTable buckets={buckets} nowMs={nowMs} />
    </>
  );
}

/** Describes the bar below the pointer. */
function Readout({ text, sum, at }: { text: string; sum: Bar; at: number }) {
  return (
    <span
      className={at > 0.5 ? classNames(styles.readout, styles.left) : styles.readout}
      style={{ left: `${at * 100}%` }}
      aria-hidden
    >
      <b className={textStyles.number}>{text}</b>
      <span>
        {formatWhole(sum.traces)} {sum.traces === 1 ? "trace" : "traces"}
      </span>
      {sum.errors > 0 && <span className={textStyles.error}>{formatWhole(sum.errors)} failed</span>}
    </span>
  );
}

function oneBar(index: number, count: number): BucketRange {
  const from = Math.min(index, count - 1);
  return { from, to: from + 1 };
}

function placeOf({ from, to }: BucketRange, count: number): { left: string; width: string } {
  return { left: `${(from / count) * 100}%`, width: `${((to - from) / count) * 100}%` };
}
