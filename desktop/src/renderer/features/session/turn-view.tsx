import type { TurnReading, Utterance } from "@obspan/collector-core/analysis";
import { useThresholds } from "../../app-context.js";
import type { TraceSummary } from "@obspan/collector-core/api-schema";
import { byteSizeText, FEEDBACK_TYPE } from "@obspan/collector-core/api-schema";
import { ImageIcon, Sparkles, ThumbsDown, ThumbsUp, User } from "lucide-react";
import { memo, useMemo } from "react";
import { Link } from "wouter";
import { formatScore, formatTime } from "../../format.js";
import { gradeScores, type Grade } from "../../score-grades.js";
import type { TurnDetail } from "../../store/conversation-store.js";
import { MarkdownText } from "../trace/detail/markdown-text.js";
import { traceHref } from "../trace/trace-address.js";
import { ActivityLine } from "./activity-line.js";
import { readingOf } from "./model/turn-readings.js";
import type { TurnParts } from "./turn-parts.js";
import { thumbOf, useCanRate } from "./use-feedback.js";
import { typeText } from "../../components/type-text.js";
import { classNames } from "../../components/class-names.js";
import { ICON_BUTTON } from "../../components/icon-button-class.js";
import badgeStyles from "../../components/badge.module.css";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./turn-view.module.css";

interface TurnViewProps {
  readonly turn: TraceSummary;
  readonly number: number;
  /** Turns of the session. */
  readonly count: number;
  readonly detail: TurnDetail | undefined;
  readonly isSelected: boolean;
  readonly isUnfolded: boolean;
  /** Whether the text that is searched is somewhere in it. */
  readonly isFound: boolean;
  readonly parts: TurnParts;
  readonly onSelect: (turn: TraceSummary) => void;
  readonly onFold: (turn: TraceSummary, isUnfolded: boolean) => void;
  readonly onRate: (turn: TraceSummary, score: 0 | 1) => void;
}

/** One turn: what the user said, what the agent did in one line, and what it answered. */
export const TurnView = memo(function TurnView(props: TurnViewProps) {
  const { turn, number, count, detail, isSelected, isUnfolded, isFound, parts, onSelect, onFold, onRate } =
    props;
  const spans = detail?.spans;
  const reading = useMemo(() => (spans === undefined ? undefined : readingOf(spans)), [spans]);
  const question = reading?.question ?? preview(turn.input_preview);
  const answer = reading?.answer ?? preview(turn.output_preview);
  // Without a recorded text, the line is all there is.
  const isSilent = question === undefined && answer === undefined;
  return (
    <article
      className={isSelected ? classNames(styles.turn, styles.selected) : styles.turn}
      aria-label={`Turn ${number}`}
      aria-posinset={number}
      aria-setsize={count}
      aria-current={isSelected ? "true" : undefined}
      onClick={() => onSelect(turn)}
    >
      <div className={styles.place}>
        <b className={isFound ? styles.found : undefined}>
          {number}
          {isFound && <span className={textStyles.screenReader}>, has the text</span>}
        </b>
        <span className={textStyles.number}>{formatTime(turn.start_time)}</span>
      </div>
      <div className={styles.body}>
        {question !== undefined && (
          <div className={styles.user}>
            <User className={iconStyles.small} aria-label="User" />
            <Spoken utterance={question} turn={turn} />
          </div>
        )}
        {(parts.activity || isUnfolded || isSilent) && (
          <ActivityLine
            turn={turn}
            reading={reading}
            isUnfolded={isUnfolded}
            onFold={(next) => onFold(turn, next)}
          />
        )}
        <Answer
          turn={turn}
          hasScores={parts.scores}
          answer={answer}
          reading={reading}
          hasQuestion={question !== undefined}
          onRate={onRate}
        />
      </div>
    </article>
  );
});

function preview(text: string | null): Utterance | undefined {
  return text === null ? undefined : { text, bytes: undefined, images: 0 };
}

interface AnswerProps extends Pick<TurnViewProps, "turn" | "onRate"> {
  readonly answer: Utterance | undefined;
  readonly reading: TurnReading | undefined;
  /** Without a question and an answer, no text was recorded: the line says what happened. */
  readonly hasQuestion: boolean;
  readonly hasScores: boolean;
}

function Answer({ turn, answer, reading, hasQuestion, hasScores, onRate }: AnswerProps) {
  const isFailed = turn.status === "ERROR";
  return (
    <div className={styles.agent}>
      <Sparkles className={iconStyles.small} aria-label="Agent" />
      <div>
        {answer !== undefined && <Spoken utterance={answer} turn={turn} />}
        {isFailed && <Failure turn={turn} reading={reading} />}
        {turn.running && <p className={classNames(textStyles.running, styles.state)}>running…</p>}
        {answer === undefined && hasQuestion && !isFailed && !turn.running && (
          <p className={classNames(textStyles.faint, styles.state)}>no answer recorded</p>
        )}
        <TurnFooter turn={turn} hasScores={hasScores} onRate={onRate} />
      </div>
    </div>
  );
}

/** Why the turn failed: the innermost error with a message. */
function Failure({ turn, reading }: { turn: TraceSummary; reading: TurnReading | undefined }) {
  const failed = reading?.failed.findLast(({ span }) => typeof span.attributes["error_message"] === "string");
  const message = failed?.span.attributes["error_message"];
  return (
    <p className={classNames(textStyles.error, styles.state, textStyles.break)}>
      {[turn.error_type ?? "failed", typeof message === "string" ? message : undefined]
        .filter(Boolean)
        .join(" · ")}
    </p>
  );
}

/** A text of a person or a model: Markdown. */
function Spoken({ utterance: { text, bytes, images }, turn }: { utterance: Utterance; turn: TraceSummary }) {
  return (
    <div className={styles.spoken}>
      {text !== "" && <MarkdownText text={text} />}
      {images > 0 && (
        <span className={classNames(badgeStyles.chip, styles.images)}>
          <ImageIcon className={iconStyles.tiny} aria-hidden />
          {images} {images === 1 ? "image" : "images"}
        </span>
      )}
      {bytes !== undefined && (
        <Link
          href={traceHref({ traceId: turn.trace_id, tenant: turn.tenant })}
          className={classNames(textStyles.link, styles.rest)}
        >
          Read all {byteSizeText(bytes)} in the trace
        </Link>
      )}
    </div>
  );
}

const GRADE_CLASS: Readonly<Record<Grade, string | undefined>> = {
  good: textStyles.dim,
  weak: textStyles.warn,
  bad: textStyles.error,
};

/** The scores of the answer, and the thumbs. */
function TurnFooter({ turn, hasScores, onRate }: Pick<AnswerProps, "turn" | "hasScores" | "onRate">) {
  const graded = gradeScores(
    turn.scores.filter(({ type }) => type !== FEEDBACK_TYPE),
    useThresholds(),
  );
  const thumb = thumbOf(turn);
  const canRate = useCanRate(turn) && !turn.running;
  const thumbButton = (score: 0 | 1) => {
    const isOn = thumb === (score === 1 ? "up" : "down");
    const Icon = score === 1 ? ThumbsUp : ThumbsDown;
    return (
      <button
        type="button"
        className={classNames(ICON_BUTTON, styles.thumb, isOn && (score === 1 ? styles.up : styles.down))}
        aria-label={score === 1 ? "Good" : "Bad"}
        aria-pressed={isOn}
        data-tip={score === 1 ? "Good  +" : "Bad  −"}
        disabled={!canRate}
        onClick={(event) => {
          event.stopPropagation();
          onRate(turn, score);
        }}
      >
        <Icon className={iconStyles.small} aria-hidden />
      </button>
    );
  };
  return (
    <footer className={styles.footer}>
      {(hasScores ? graded : []).map(({ type, score, label, grade }) => (
        <span key={type} className={GRADE_CLASS[grade]} data-tip={label ?? undefined}>
          <b className={textStyles.number}>{formatScore(score)}</b> {typeText(type)}
        </span>
      ))}
      <span className={textStyles.grow} />
      {thumbButton(1)}
      {thumbButton(0)}
    </footer>
  );
}
