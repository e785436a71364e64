import type { FigureDelta, TraceComparison } from "@obspan/collector-core/api-schema";
import type { FigureName } from "@obspan/collector-core/analysis";
import { useMemo, type ReactNode } from "react";
import { useThresholds } from "../../app-context.js";
import { LowerIsBetter } from "../../components/lower-is-better.js";
import { formatScore } from "../../format.js";
import { directionOf, gradeOf } from "../../score-grades.js";
import {
  countDelta,
  deltaGrade,
  deltaPercent,
  deltaQuantity,
  quantityOf,
  scoreDelta,
} from "./model/delta-text.js";
import { isCostComputed } from "./model/step-words.js";
import { Computed } from "../trace/cost.js";
import { typeText } from "../../components/type-text.js";
import { classNames } from "../../components/class-names.js";
import textStyles from "../../components/text.module.css";
import styles from "./delta-row.module.css";

/** Scores in the row; the worst changes. */
const MAX_SCORES = 4;
const FIGURES = [
  { figure: "duration_ms", name: "Duration" },
  { figure: "ttft_ms", name: "TTFT" },
  { figure: "tokens_input", name: "Tokens in" },
  { figure: "tokens_output", name: "Tokens out" },
  { figure: "cost_usd", name: "Cost" },
] as const satisfies readonly { readonly figure: FigureName; readonly name: string }[];

/** The figures of both runs, with their differences. */
export function DeltaRow({ comparison: { deltas, scores, steps } }: { comparison: TraceComparison }) {
  const { errors } = deltas;
  const isComputed = useMemo(() => steps.some(isCostComputed), [steps]);
  return (
    <dl className={styles.deltas} aria-label="Differences">
      {FIGURES.map(({ figure, name }) => (
        <FigureItem
          key={figure}
          name={name}
          figure={figure}
          delta={deltas[figure]}
          isComputed={figure === "cost_usd" && isComputed}
        />
      ))}
      <Item
        name="Error spans"
        isBad={(errors.delta ?? 0) > 0}
        difference={countDelta(errors.delta ?? 0)}
        from={String(errors.a ?? 0)}
        to={String(errors.b ?? 0)}
      />
      <Scores scores={scores} />
    </dl>
  );
}

interface FigureItemProps {
  readonly name: string;
  readonly figure: FigureName;
  readonly delta: FigureDelta;
  readonly isComputed: boolean;
}

function FigureItem({ name, figure, delta, isComputed }: FigureItemProps) {
  const { a, b } = delta;
  if ((a ?? 0) === 0 && (b ?? 0) === 0) return null;
  const quantity = deltaQuantity(figure, delta, "head");
  const difference = quantity === undefined ? "–" : `${quantity.value} ${quantity.unit}`.trim();
  const text = (amount: number | null): string => {
    if (amount === null) return "–";
    const { value, unit } = quantityOf(figure, amount, "head");
    return unit === "" ? value : `${value} ${unit}`;
  };
  return (
    <Item
      name={name}
      isBad={deltaGrade(figure, delta) === "worse"}
      difference={isComputed ? <Computed>{difference}</Computed> : difference}
      percent={deltaPercent(delta)}
      from={text(a)}
      to={text(b)}
    />
  );
}

function Scores({ scores }: Pick<TraceComparison, "scores">) {
  const thresholds = useThresholds();
  const judged = scores.map((score) => {
    const direction = directionOf(score.type);
    const worse = (direction === "minimize" ? 1 : -1) * (score.delta ?? 0);
    const isBad =
      worse > 0 &&
      score.b !== null &&
      gradeOf({ type: score.type, score: score.b }, direction, thresholds) === "bad";
    return { ...score, direction, worse, isBad };
  });
  return judged
    .toSorted((x, y) => y.worse - x.worse)
    .slice(0, MAX_SCORES)
    .map(({ type, a, b, delta, direction, isBad }) => (
      <Item
        key={type}
        name={
          <>
            {typeText(type)}
            {direction === "minimize" && <LowerIsBetter />}
          </>
        }
        isBad={isBad}
        difference={delta === null ? "–" : scoreDelta(delta)}
        from={a === null ? "–" : formatScore(a)}
        to={b === null ? "–" : formatScore(b)}
      />
    ));
}

interface ItemProps {
  readonly name: ReactNode;
  readonly isBad: boolean;
  readonly difference: ReactNode;
  readonly percent?: string | undefined;
  readonly from: string;
  readonly to: string;
}

function Item({ name, isBad, difference, percent, from, to }: ItemProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={isBad ? classNames(styles.difference, textStyles.error) : styles.difference}>
        {difference} {percent !== undefined && <small>{percent}</small>}
      </dd>
      <dd className={styles.both}>
        {from} <span className={textStyles.faint}>→</span> {to}
      </dd>
    </div>
  );
}
