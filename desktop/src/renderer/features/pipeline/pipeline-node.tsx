import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { formatWhole } from "../../format.js";

interface PipelineNodeProps {
  /** Names it for the edges. */
  readonly id: string;
  readonly name: string;
  readonly icon: LucideIcon;
  /** At the right of its name. */
  readonly figure: ReactNode;
  /** A word where something is off. */
  readonly warning?: string | undefined;
  /** The stage does nothing: it says how it would. */
  readonly isOff?: boolean;
  readonly children: ReactNode;
  /** What left the way here, below it. */
  readonly losses?: ReactNode;
}

/** A stage of the pipeline, and what left the way at it. */
export function PipelineNode({
  id,
  name,
  icon: Icon,
  figure,
  warning,
  isOff = false,
  children,
  losses,
}: PipelineNodeProps) {
  const kind = isOff ? "node off" : warning === undefined ? "node" : "node warn";
  return (
    <div className="stage">
      <section className={kind} data-node={id} aria-label={name}>
        <header>
          <Icon className="icon" aria-hidden />
          <h2>{name}</h2>
          <span className="grow" />
          {warning !== undefined && <span className="badge warn">{warning}</span>}
          {isOff ? <span className="badge plain">off</span> : figure}
        </header>
        {children}
      </section>
      {losses}
    </div>
  );
}

export function Fact({
  name,
  children,
  isOff = false,
}: {
  name: string;
  children: ReactNode;
  isOff?: boolean;
}) {
  return (
    <div className="kv">
      <span>{name}</span>
      <b className={isOff ? "num is-warn" : "num"}>{children}</b>
    </div>
  );
}

/** A figure each second. */
export function Rate({ value }: { value: number }) {
  return (
    <span className="num">
      {rateText(value)}
      <span className="unit">/s</span>
    </span>
  );
}

export function rateText(value: number): string {
  if (value === 0) return "0";
  return value < 10 ? value.toFixed(1) : formatWhole(Math.round(value));
}

interface LossesProps {
  readonly title: string;
  readonly losses: readonly (readonly [string, number])[];
  /** These left because a rule says so, and are not lost. */
  readonly isByRule?: boolean;
}

/** What left the way, by reason. */
export function Losses({ title, losses, isByRule = false }: LossesProps) {
  const sum = losses.reduce((total, [, count]) => total + count, 0);
  return (
    <div className={isByRule ? "dropbox by-rule" : "dropbox"} role="group" aria-label={title}>
      <h3>
        {title}
        <span className={sum > 0 && !isByRule ? "num is-error" : "num"}>{formatWhole(sum)}</span>
      </h3>
      {losses.map(([reason, count]) => (
        <div key={reason} className={count === 0 ? "zero" : undefined}>
          <span className="mono">{reason}</span>
          <b className="num">{formatWhole(count)}</b>
        </div>
      ))}
    </div>
  );
}

const SPARK_WIDTH = 160;
const SPARK_HEIGHT = 26;

/** The last minutes as a line; the figure above it says the newest. */
export function NodeSpark({ values }: { values: readonly number[] }) {
  const max = Math.max(1, ...values);
  const points = values.map((value, index) => {
    const x = (index / Math.max(1, values.length - 1)) * SPARK_WIDTH;
    return `${x.toFixed(1)},${(SPARK_HEIGHT - 2 - (value / max) * (SPARK_HEIGHT - 4)).toFixed(1)}`;
  });
  return (
    <svg
      className="nspark"
      viewBox={`0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polyline points={points.join(" ")} />
    </svg>
  );
}
