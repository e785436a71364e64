import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { formatWhole } from "../../format.js";
import { classNames } from "../../components/class-names.js";
import badgeStyles from "../../components/badge.module.css";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./pipeline-node.module.css";

interface PipelineNodeProps {
  /** Id that edges refer to. */
  readonly id: string;
  readonly name: string;
  readonly icon: LucideIcon;
  /** Shown to the right of the name. */
  readonly figure: ReactNode;
  /** Short warning, if any. */
  readonly warning?: string | undefined;
  /** The stage is off and shows how to enable it. */
  readonly isOff?: boolean;
  readonly children: ReactNode;
  /** The spans lost at this stage, shown below it. */
  readonly losses?: ReactNode;
}

/** A stage of the pipeline, and the spans lost at it. */
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
  return (
    <div className={styles.stage}>
      <section
        className={classNames(styles.node, isOff ? styles.off : warning !== undefined && styles.warn)}
        data-node={id}
        aria-label={name}
      >
        <header>
          <Icon className={iconStyles.icon} aria-hidden />
          <h2>{name}</h2>
          <span className={textStyles.grow} />
          {warning !== undefined && <span className={badgeStyles.warn}>{warning}</span>}
          {isOff ? <span className={badgeStyles.plain}>off</span> : figure}
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
    <div className={styles.fact}>
      <span>{name}</span>
      <b className={isOff ? classNames(textStyles.number, textStyles.warn) : textStyles.number}>{children}</b>
    </div>
  );
}

/** A rate per second. */
export function Rate({ value }: { value: number }) {
  return (
    <span className={textStyles.number}>
      {rateText(value)}
      <span className={textStyles.unit}>/s</span>
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
  /** Removed by a rule, which is not a loss. */
  readonly isByRule?: boolean;
}

/** Lost spans by reason. */
export function Losses({ title, losses, isByRule = false }: LossesProps) {
  const sum = losses.reduce((total, [, count]) => total + count, 0);
  return (
    <div
      className={isByRule ? classNames(styles.losses, styles.byRule) : styles.losses}
      role="group"
      aria-label={title}
    >
      <h3>
        {title}
        <span
          className={
            sum > 0 && !isByRule ? classNames(textStyles.number, textStyles.error) : textStyles.number
          }
        >
          {formatWhole(sum)}
        </span>
      </h3>
      {losses.map(([reason, count]) => (
        <div key={reason} className={count === 0 ? styles.zero : undefined}>
          <span className={textStyles.mono}>{reason}</span>
          <b className={textStyles.number}>{formatWhole(count)}</b>
        </div>
      ))}
    </div>
  );
}

const SPARK_WIDTH = 160;
const SPARK_HEIGHT = 26;

/** The last minutes as a line; the number above it is the newest. */
export function NodeSpark({ values }: { values: readonly number[] }) {
  const max = Math.max(1, ...values);
  const points = values.map((value, index) => {
    const x = (index / Math.max(1, values.length - 1)) * SPARK_WIDTH;
    return `${x.toFixed(1)},${(SPARK_HEIGHT - 2 - (value / max) * (SPARK_HEIGHT - 4)).toFixed(1)}`;
  });
  return (
    <svg
      className={styles.spark}
      viewBox={`0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polyline points={points.join(" ")} />
    </svg>
  );
}
