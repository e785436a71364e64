import { isPastThreshold, type EvaluationSummary } from "@obspan/collector-core/api-schema";
import { useState, type CSSProperties } from "react";
import { useStores } from "../../app-context.js";
import { Segmented } from "../../components/segmented.js";
import { formatScore } from "../../format.js";
import { directedTypeText } from "../../components/type-text.js";
import { classNames } from "../../components/class-names.js";
import panelStyles from "../../components/panel.module.css";
import textStyles from "../../components/text.module.css";
import evaluationsPageStyles from "./evaluations-page.module.css";
import styles from "./means-panel.module.css";

const MAX_TYPES = 4;
const MAX_ROWS = 6;
const BY = [
  { value: "agent", content: "Agent" },
  { value: "model", content: "Model" },
] as const;

/** A mean this close to its threshold is highlighted. */
const NEAR = 0.1;

type TypeSummary = EvaluationSummary["types"][number];

/** Mean scores by agent or by model. Bad means are coloured; good ones are brighter. */
export function MeansPanel({ summary }: { summary: EvaluationSummary }) {
  const { evaluations } = useStores();
  const [by, setBy] = useState<(typeof BY)[number]["value"]>("agent");
  const rows = (by === "agent" ? summary.by_agent : summary.by_model).slice(0, MAX_ROWS);
  // The worst types first, because only a few fit.
  const types = summary.types
    .filter(({ direction }) => direction !== "neutral")
    .toSorted((a, b) => b.past_threshold - a.past_threshold)
    .slice(0, MAX_TYPES);
  return (
    <section className={panelStyles.panel} aria-label={`Mean by ${by}`}>
      <header>
        <h2>Mean by {by}</h2>
        <span className={textStyles.grow} />
        <Segmented label="Mean by" choices={BY} chosen={by} onChoose={setBy} isSmall />
      </header>
      {rows.length === 0 ? (
        <p className={classNames(textStyles.dim, evaluationsPageStyles.none)}>
          No evaluated span has {by === "agent" ? "an agent" : "a model"}.
        </p>
      ) : (
        <table className={styles.grid} style={{ "--types": types.length } as CSSProperties}>
          <thead>
            <tr>
              <th>
                <span className={textStyles.screenReader}>{by}</span>
              </th>
              {types.map(({ type, direction }) => (
                <th key={type} className={styles.head} data-tip={directedTypeText(type, direction)}>
                  <span>{directedTypeText(type, direction)}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ value, means }) => (
              <tr key={value}>
                <th className={textStyles.cut} scope="row">
                  <button
                    type="button"
                    className={classNames(styles.plain, textStyles.cut)}
                    data-tip={`Only ${value}`}
                    onClick={() => evaluations.getState().setFilters({ [by]: value })}
                  >
                    {value}
                  </button>
                </th>
                {types.map((type) => (
                  <MeanCell
                    key={type.type}
                    type={type}
                    mean={Object.hasOwn(means, type.type) ? means[type.type] : undefined}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function MeanCell({ type, mean }: { type: TypeSummary; mean: number | undefined }) {
  if (mean === undefined) return <td className={classNames(styles.cell, styles.none)}>–</td>;
  const { direction, threshold } = type;
  const goodness = direction === "minimize" ? 1 - mean : mean;
  const grade = isPastThreshold(mean, direction, threshold ?? undefined)
    ? styles.error
    : isPastThreshold(direction === "minimize" ? mean + NEAR : mean - NEAR, direction, threshold ?? undefined)
      ? styles.warn
      : undefined;
  return (
    <td
      className={classNames(styles.cell, grade)}
      style={{ "--g": `${Math.round(goodness * 24)}%` } as CSSProperties}
    >
      {formatScore(mean)}
    </td>
  );
}
