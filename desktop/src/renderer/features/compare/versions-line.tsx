import type { TraceComparison, TraceGroup } from "@obspan/collector-core/api-schema";
import { deltaOf } from "@obspan/collector-core/analysis";
import { FileDiff } from "lucide-react";
import { Fragment, type ReactNode } from "react";
import { useComparison } from "../../app-context.js";
import { LowerIsBetter } from "../../components/lower-is-better.js";
import { commonPrompt } from "../../store/prompt-versions.js";
import { durationText, formatScore, formatWhole } from "../../format.js";
import { directionOf } from "../../score-grades.js";
import { deltaGrade } from "./model/delta-text.js";
import { typeText } from "../../components/type-text.js";
import { classNames } from "../../components/class-names.js";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import { costOfSum, costText } from "../trace/cost.js";
import styles from "./causes-line.module.css";

/** A figure of both versions. */
interface VersionFigure {
  readonly name: ReactNode;
  readonly key: string;
  readonly from: string;
  readonly to: string;
  readonly isWorse: boolean;
}

/** Where both runs used different versions of a prompt: the figures of all runs of each version. */
export function VersionsLine({ comparison }: { comparison: TraceComparison }) {
  const loaded = useComparison((state) => state.prompt);
  const prompt = commonPrompt(comparison);
  if (prompt === undefined || prompt.a === prompt.b) return null;
  // The line has its place before its figures are there: what is below does not move when they come.
  const versions = loaded?.name === prompt.name ? loaded.versions : [];
  const groupOf = (version: string): TraceGroup | undefined =>
    versions.find((each) => each.version === version)?.group;
  const [a, b] = [groupOf(prompt.a), groupOf(prompt.b)];
  return (
    <section className={classNames(styles.why, styles.versions)} aria-label="All runs of both versions">
      <FileDiff className={iconStyles.small} aria-hidden />
      <span>
        <span className={textStyles.mono}>{prompt.name}</span>{" "}
        <b>
          {prompt.a} → {prompt.b}
        </b>
        {a !== undefined && b !== undefined && " over all runs"}
      </span>
      {a !== undefined && b !== undefined && (
        <dl>
          {figuresOf(a, b).map(({ key, name, from, to, isWorse }) => (
            <div key={key}>
              <dt>{name}</dt>
              <dd className={classNames(textStyles.number, isWorse && textStyles.error)}>
                {from === to ? (
                  to
                ) : (
                  <Fragment>
                    {from} <span className={textStyles.faint}>→</span> {to}
                  </Fragment>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

/** Percentage points that count as worse. */
const ERROR_POINTS = 0.05;
const SCORE_POINTS = 0.1;
const MAX_SCORES = 3;

function figuresOf(a: TraceGroup, b: TraceGroup): VersionFigure[] {
  const percent = (ratio: number): string => `${Math.round(ratio * 100)} %`;
  const each = (tokens: number, runs: number): number => Math.round(tokens / Math.max(1, runs));
  const [tokensA, tokensB] = [each(a.tokens_input, a.runs), each(b.tokens_input, b.runs)];
  const isWorse = (figure: "duration_ms" | "tokens_input" | "cost_usd", x: number, y: number): boolean =>
    deltaGrade(figure, deltaOf(x, y)) === "worse";
  return [
    { key: "runs", name: "Runs", from: formatWhole(a.runs), to: formatWhole(b.runs), isWorse: false },
    {
      key: "errors",
      name: "Errors",
      from: percent(a.error_ratio),
      to: percent(b.error_ratio),
      isWorse: b.error_ratio - a.error_ratio >= ERROR_POINTS,
    },
    {
      key: "p50",
      name: "p50",
      from: durationText(a.p50_ms),
      to: durationText(b.p50_ms),
      isWorse: isWorse("duration_ms", a.p50_ms, b.p50_ms),
    },
    {
      key: "tokens",
      name: "Tokens in a run",
      from: formatWhole(tokensA),
      to: formatWhole(tokensB),
      isWorse: isWorse("tokens_input", tokensA, tokensB),
    },
    {
      key: "cost",
      name: "Cost a run",
      from: costText(costOfSum({ ...a, cost_usd: a.cost_per_run_usd })),
      to: costText(costOfSum({ ...b, cost_usd: b.cost_per_run_usd })),
      isWorse: isWorse("cost_usd", a.cost_per_run_usd, b.cost_per_run_usd),
    },
    ...scoresOf(a, b),
  ];
}

/** The scores of both versions, the worst change first. */
function scoresOf(a: TraceGroup, b: TraceGroup): VersionFigure[] {
  const before = new Map(a.scores.map(({ type, mean }) => [type, mean]));
  return b.scores
    .flatMap(({ type, mean }) => {
      const from = before.get(type);
      if (from === undefined) return [];
      const isLower = directionOf(type) === "minimize";
      return [{ type, from, mean, isLower, worse: isLower ? mean - from : from - mean }];
    })
    .toSorted((x, y) => y.worse - x.worse)
    .slice(0, MAX_SCORES)
    .map(({ type, from, mean, isLower, worse }) => ({
      key: `score ${type}`,
      name: (
        <>
          <span className={styles.type}>{typeText(type)}</span>
          {isLower && <LowerIsBetter />}
        </>
      ),
      from: formatScore(from),
      to: formatScore(mean),
      isWorse: worse > SCORE_POINTS,
    }));
}
