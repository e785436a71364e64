import topBarStyles from "./top-bar.module.css";

const WIDTH = 44;
const HEIGHT = 14;

/** The last values as a line; the number beside it is the newest. */
export function Sparkline({ values }: { values: readonly number[] }) {
  const max = Math.max(1, ...values);
  const shown = values.length < 2 ? [0, 0] : values;
  const step = WIDTH / (shown.length - 1);
  const points = shown.map((value, index) => {
    const y = HEIGHT - 1 - (value / max) * (HEIGHT - 2);
    return `${(index * step).toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <svg className={topBarStyles.spark} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <polyline points={points.join(" ")} fill="none" stroke="var(--text-3)" strokeWidth="1.25" />
    </svg>
  );
}
