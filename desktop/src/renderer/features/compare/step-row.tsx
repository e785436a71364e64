import type { FigureName } from "@obspan/collector-core/analysis";
import type {
  FigureDelta,
  StepPairAnswer,
  TraceComparison,
  TraceSummary,
} from "@obspan/collector-core/api-schema";
import { Flag } from "lucide-react";
import { memo, type CSSProperties, type ReactNode } from "react";
import { DurationParts } from "../../components/duration-parts.js";
import { SpanIcon, typeClass } from "../../components/span-icon.js";
import { Computed } from "../trace/cost.js";
import { shareOf, type TimeWindow } from "../trace/model/time-scale.js";
import { deltaGrade, deltaQuantity } from "./model/delta-text.js";
import { isCostComputed, stepOf, stepWords } from "./model/step-words.js";
import { classNames } from "../../components/class-names.js";
import badgeStyles from "../../components/badge.module.css";
import iconStyles from "../../components/icon.module.css";
import tableStyles from "../../components/table.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./spans-view.module.css";

/** Element id of a row; the grid refers to its selected row by it. */
export function stepRowId(index: number): string {
  return `step-${index}`;
}

interface RunRowProps {
  readonly a: TraceSummary;
  readonly b: TraceSummary;
  readonly deltas: TraceComparison["deltas"];
  readonly window: TimeWindow;
}

/** Both runs as a whole. */
export function RunRow({ a, b, deltas, window }: RunRowProps) {
  return (
    <div role="row" aria-rowindex={2} className={tableStyles.row}>
      <span role="gridcell" className={styles.who}>
        <SpanIcon spanType="agent" />
        <b className={textStyles.cut} data-tip={b.root_name}>
          {b.root_name}
        </b>
      </span>
      <Duration ms={a.duration_ms} isDim />
      <span role="gridcell" className={styles.twin}>
        <Bar className={classNames(styles.barA)} startMs={0} ms={a.duration_ms} window={window} />
        <Bar
          className={classNames(styles.barB, typeClass("agent"))}
          startMs={0}
          ms={b.duration_ms}
          window={window}
        />
      </span>
      <Duration ms={b.duration_ms} />
      <Difference figure="duration_ms" delta={deltas.duration_ms} />
      <Difference figure="tokens_input" delta={deltas.tokens_input} className={styles.tokens} />
      <Difference figure="cost_usd" delta={deltas.cost_usd} className={styles.cost} />
      <span role="gridcell" />
    </div>
  );
}

interface StepRowProps {
  readonly pair: StepPairAnswer;
  readonly index: number;
  readonly isSelected: boolean;
  /** The first difference of the runs. */
  readonly isFirst: boolean;
  readonly window: TimeWindow;
  readonly style: CSSProperties;
  readonly onSelect: () => void;
}

/** One step of both runs. */
export const StepRow = memo(
  function StepRow({ pair, index, isSelected, isFirst, window, style, onSelect }: StepRowProps) {
    const { a, b, duration_ms: time } = pair;
    const step = stepOf(pair);
    const isSingle = a === null || b === null;
    return (
      <div
        id={stepRowId(index)}
        role="row"
        aria-rowindex={index + 3}
        aria-selected={isSelected}
        className={classNames(tableStyles.row, isSingle && styles.single, isSelected && tableStyles.selected)}
        style={style}
        onClick={onSelect}
      >
        <span
          role="gridcell"
          className={styles.who}
          style={{ paddingLeft: 16 + Math.min(8, step.level) * 16 }}
        >
          <SpanIcon spanType={step.span_type} />
          <b className={textStyles.cut} data-tip={tipOf(pair)} dir="auto">
            {step.name}
          </b>
          {step.hint !== null && <span className={classNames(textStyles.cut, styles.hint)}>{step.hint}</span>}
        </span>
        <Duration ms={a === null ? null : time.a} isDim />
        <span role="gridcell" className={styles.twin}>
          {a !== null && (
            <Bar
              className={classNames(styles.barA, b === null && a.status === "ERROR" && textStyles.error)}
              startMs={a.start_ms}
              ms={time.a ?? 0}
              window={window}
            />
          )}
          {b !== null && (
            <Bar
              className={classNames(
                styles.barB,
                b.status === "ERROR" ? textStyles.error : typeClass(b.span_type),
              )}
              startMs={b.start_ms}
              ms={time.b ?? 0}
              window={window}
            />
          )}
        </span>
        <Duration ms={b === null ? null : time.b} />
        <Difference figure="duration_ms" delta={time} />
        <Difference figure="tokens_input" delta={pair.tokens_input} className={styles.tokens} />
        <Difference
          figure="cost_usd"
          delta={pair.cost_usd}
          className={styles.cost}
          isComputed={isCostComputed(pair)}
        />
        <span role="gridcell" className={classNames(textStyles.cut, styles.words)}>
          {isFirst && (
            <Flag className={classNames(iconStyles.tiny, styles.flag)} aria-label="First divergence" />
          )}
          <Words pair={pair} />
        </span>
      </div>
    );
  },
  (before, after) =>
    before.pair === after.pair &&
    before.isSelected === after.isSelected &&
    before.isFirst === after.isFirst &&
    before.index === after.index &&
    before.window === after.window &&
    before.style["transform"] === after.style["transform"],
);

function tipOf({ a, b }: StepPairAnswer): string {
  if (a === null || b === null || a.name === b.name) return (b ?? a)?.name ?? "";
  return `${a.name}\n→ ${b.name}`;
}

function Words({ pair }: { pair: StepPairAnswer }) {
  const { main, rest, tone } = stepWords(pair);
  if (tone === "single")
    return (
      <>
        <span className={badgeStyles.plain}>{main}</span> <span className={textStyles.faint}>{rest}</span>
      </>
    );
  const tones = { equal: textStyles.faint, changed: undefined, error: textStyles.error };
  return (
    <span data-tip={rest === "" ? undefined : `${main}\n${rest}`}>
      <span className={tones[tone]}>{main}</span>
      {rest !== "" && <span className={textStyles.faint}> · {rest}</span>}
    </span>
  );
}

function Duration({ ms, isDim = false }: { ms: number | null; isDim?: boolean }) {
  return (
    <Cell className={isDim ? textStyles.dim : undefined}>
      {ms === null ? <span className={textStyles.faint}>–</span> : <DurationParts ms={ms} />}
    </Cell>
  );
}

function Difference({
  figure,
  delta,
  className,
  isComputed = false,
}: {
  figure: FigureName;
  delta: FigureDelta;
  className?: string | undefined;
  isComputed?: boolean;
}) {
  const quantity = deltaQuantity(figure, delta);
  if (quantity === undefined) return <Cell className={classNames(textStyles.faint, className)}>–</Cell>;
  const grade = deltaGrade(figure, delta);
  const colour = grade === "worse" ? textStyles.error : grade === "better" ? textStyles.ok : textStyles.dim;
  return (
    <Cell className={classNames(colour, className)}>
      {isComputed ? <Computed>{quantity.value}</Computed> : quantity.value}
      {quantity.unit !== "" && <span className={textStyles.unit}> {quantity.unit}</span>}
    </Cell>
  );
}

function Cell({ className, children }: { className: string | undefined; children: ReactNode }) {
  return (
    <span role="gridcell" className={classNames(textStyles.number, className)}>
      {children}
    </span>
  );
}

interface BarProps {
  readonly className: string;
  readonly startMs: number;
  readonly ms: number;
  readonly window: TimeWindow;
}

function Bar({ className, startMs, ms, window }: BarProps) {
  const left = shareOf(window, startMs) * 100;
  const width = shareOf(window, startMs + ms) * 100 - left;
  return <i className={className} style={{ left: `${left}%`, width: `${width}%` }} />;
}
