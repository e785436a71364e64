import { memo } from "react";
import type { TimeBuckets } from "./time-buckets.js";
import histogramStyles from "./histogram.module.css";

/** Height of the plot; the tallest bar leaves some space above. */
export const PLOT_PX = 44;
const TALLEST_PX = 38;
/** Smallest height, so that one trace in ten thousand is visible. */
const SHORTEST_PX = 2;
const WIDE_BAR_PX = 5;

interface HistogramBarsProps {
  readonly buckets: TimeBuckets;
  readonly width: number;
}

/** One bar per bucket, with the failed traces at the bottom. */
export const HistogramBars = memo(function HistogramBars({ buckets, width }: HistogramBarsProps) {
  const { bars } = buckets;
  const pitch = width / bars.length;
  const gap = pitch >= WIDE_BAR_PX ? 2 : pitch >= 2 ? 1 : 0;
  const most = bars.reduce((max, { traces }) => Math.max(max, traces), 1);
  return (
    <svg className={histogramStyles.bars} data-testid="bars" width={width} height={PLOT_PX} aria-hidden>
      {bars.map(({ traces, errors }, index) => {
        if (traces === 0) return null;
        const height = Math.max(SHORTEST_PX, (traces / most) * TALLEST_PX);
        const failed = errors === 0 ? 0 : Math.max(SHORTEST_PX, (errors / traces) * height);
        const x = index * pitch;
        const barWidth = Math.max(1, pitch - gap);
        return (
          <g key={index}>
            {failed < height && (
              <rect
                className={histogramStyles.bar}
                x={x}
                y={PLOT_PX - height}
                width={barWidth}
                height={height - failed}
              />
            )}
            {failed > 0 && (
              <rect
                className={histogramStyles.errorBar}
                x={x}
                y={PLOT_PX - failed}
                width={barWidth}
                height={failed}
              />
            )}
          </g>
        );
      })}
    </svg>
  );
});
