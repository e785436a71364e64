import { numberOf, textOf } from "@obspan/collector-core/analysis";
import {
  FEEDBACK_TYPE,
  type EvaluationDirection,
  type NormalizedSpan,
} from "@obspan/collector-core/api-schema";
import { ThumbsDown, ThumbsUp } from "lucide-react";
import { useMemo } from "react";
import { useEvaluations, useStores, useThresholds, useTrace } from "../../../app-context.js";
import { EvaluateMenu } from "../../../components/evaluate-menu.js";
import { Segmented, type SegmentedChoice } from "../../../components/segmented.js";
import { ShareBar, type ShareTone } from "../../../components/share-bar.js";
import { durationText, formatCost, formatScore, formatTime } from "../../../format.js";
import { directionOf as directionOfType, gradeOf, type Grade } from "../../../score-grades.js";
import { EVALUATIONS_ID } from "../model/evaluation-group.js";
import { useSpanDetail } from "./span-detail-context.js";
import { typeText } from "../../../components/type-text.js";
import { classNames } from "../../../components/class-names.js";
import badgeStyles from "../../../components/badge.module.css";
import iconStyles from "../../../components/icon.module.css";
import textStyles from "../../../components/text.module.css";
import viewBarStyles from "../../../components/view-bar.module.css";
import styles from "./evaluations-tab.module.css";

const THUMBS: readonly SegmentedChoice<0 | 1>[] = [
  { value: 1, title: "Good", content: <ThumbsUp className={iconStyles.small} aria-label="Good" /> },
  { value: 0, title: "Bad", content: <ThumbsDown className={iconStyles.small} aria-label="Bad" /> },
];

/** The evaluations of a span, latest first. For the root, those of the whole trace are included. */
export function evaluationsOf(spans: readonly NormalizedSpan[], span: NormalizedSpan): NormalizedSpan[] {
  if (span.span_id === EVALUATIONS_ID)
    return spans.filter((each) => each.span_type === "evaluation").toReversed();
  if (span.span_type === "evaluation") return spans.filter(({ span_id: id }) => id === span.span_id);
  return spans
    .filter(
      (each) =>
        each.span_type === "evaluation" &&
        (each.parent_span_id === span.span_id ||
          textOf(each, "evaluated_span_id") === span.span_id ||
          (span.parent_span_id === null && each.parent_span_id === null)),
    )
    .toReversed();
}

/** Evaluations of the selected span, by judges and by the user. */
export function EvaluationsTab() {
  const { span } = useSpanDetail();
  const spans = useTrace((state) => state.spans);
  const tenant = useTrace((state) => state.tenant);
  const notice = useEvaluations((state) => state.runNotice);
  const found = useMemo(() => evaluationsOf(spans, span), [spans, span]);
  return (
    <div className={styles.evaluations}>
      <div className={classNames(viewBarStyles.viewBar, viewBarStyles.tight)}>
        {span.span_type !== "evaluation" && <Thumbs span={span} found={found} />}
        <span className={textStyles.grow} />
        {span.span_type !== "evaluation" && (
          <EvaluateMenu traces={[{ traceId: span.trace_id, tenant }]} spanId={span.span_id} />
        )}
      </div>
      {notice !== undefined && (
        <p className={textStyles.note} role="status">
          {notice}
        </p>
      )}
      {found.length === 0 ? (
        <p className={textStyles.dim}>This span has not been evaluated.</p>
      ) : (
        found.map((evaluation) => <Verdict key={evaluation.span_id} evaluation={evaluation} />)
      )}
    </div>
  );
}

/** The user's feedback. It is stored with the trace and can be changed. */
function Thumbs({ span, found }: { span: NormalizedSpan; found: readonly NormalizedSpan[] }) {
  const { evaluations } = useStores();
  const tenant = useTrace((state) => state.tenant);
  const earlier = found.find(
    (each) =>
      textOf(each, "evaluation_type") === FEEDBACK_TYPE && textOf(each, "evaluated_span_id") === span.span_id,
  );
  const score = earlier && numberOf(earlier, "evaluation_score");
  const rate = (value: 0 | 1): void =>
    void evaluations.getState().rate(
      {
        trace: { traceId: span.trace_id, tenant },
        spanId: span.span_id,
        service: span.service,
        env: span.env,
        earlierId: earlier?.span_id,
      },
      value,
    );
  return (
    <Segmented
      label="Your feedback"
      choices={THUMBS}
      chosen={score === 0 || score === 1 ? score : undefined}
      onChoose={rate}
    />
  );
}

const GRADE_CLASS: Readonly<Record<Grade, string | undefined>> = {
  good: undefined,
  weak: textStyles.warn,
  bad: textStyles.error,
};
const BADGE_CLASS: Readonly<Record<Grade, string | undefined>> = {
  good: badgeStyles.plain,
  weak: badgeStyles.warn,
  bad: badgeStyles.error,
};
const TONE = { good: undefined, weak: "warn", bad: "error" } as const satisfies Record<Grade, ShareTone>;

function Verdict({ evaluation }: { evaluation: NormalizedSpan }) {
  const type = textOf(evaluation, "evaluation_type") ?? evaluation.name;
  const score = numberOf(evaluation, "evaluation_score");
  const label = textOf(evaluation, "evaluation_label");
  const why =
    textOf(evaluation, "evaluation_explanation") ??
    textOf(evaluation, "evaluation_comment") ??
    textOf(evaluation, "error_message");
  const direction = directionOf(evaluation, type);
  const thresholds = useThresholds();
  const grade = score === undefined ? "bad" : gradeOf({ type, score }, direction, thresholds);
  return (
    <article className={styles.verdict} aria-label={type}>
      <header>
        <h3 className={textStyles.cut} data-tip={type}>
          {typeText(type)}
        </h3>
        {direction === "minimize" && <span className={textStyles.faint}>lower is better</span>}
        <span className={textStyles.grow} />
        {label !== undefined && <span className={BADGE_CLASS[grade]}>{label}</span>}
        <b className={classNames(textStyles.number, GRADE_CLASS[grade])}>
          {score === undefined ? (textOf(evaluation, "evaluation_outcome") ?? "failed") : formatScore(score)}
        </b>
      </header>
      {score !== undefined && <ShareBar share={score} tone={TONE[grade]} />}
      {why !== undefined && <p>{why}</p>}
      <Judge evaluation={evaluation} type={type} />
    </article>
  );
}

/** Who judged, how long that took and what it cost. */
function Judge({ evaluation, type }: { evaluation: NormalizedSpan; type: string }) {
  const { evaluations } = useStores();
  const tenant = useTrace((state) => state.tenant);
  const canRun = useEvaluations(({ summary }) => summary === undefined || summary.evaluation !== null);
  const isUsers = textOf(evaluation, "evaluation_source") === "user";
  const spanId = textOf(evaluation, "evaluated_span_id");
  const cost = numberOf(evaluation, "judge_cost_usd");
  const judge = textOf(evaluation, "judge_model");
  return (
    <footer>
      {!isUsers && judge !== undefined ? (
        <span className={textStyles.mono}>{judge}</span>
      ) : (
        <span>{isUsers ? "a user" : "no judge"}</span>
      )}
      {!isUsers && evaluation.duration_ms !== null && <span>{durationText(evaluation.duration_ms)}</span>}
      {cost !== undefined && <span>{formatCost(cost)}</span>}
      <span>{formatTime(evaluation.end_time ?? evaluation.start_time)}</span>
      <span className={textStyles.grow} />
      {!isUsers && canRun && spanId !== undefined && (
        <button
          type="button"
          className={textStyles.link}
          onClick={() =>
            void evaluations
              .getState()
              .run([type], { traces: [{ traceId: evaluation.trace_id, tenant }], spanId })
          }
        >
          Run again<span className={textStyles.screenReader}>: {type}</span>
        </button>
      )}
    </footer>
  );
}

function directionOf(evaluation: NormalizedSpan, type: string): EvaluationDirection {
  const said = textOf(evaluation, "evaluation_direction");
  if (said === "maximize" || said === "minimize" || said === "neutral") return said;
  return directionOfType(type);
}
