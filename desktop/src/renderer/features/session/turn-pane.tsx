import { FEEDBACK_TYPE, type SessionSummary, type TraceSummary } from "@obspan/collector-core/api-schema";
import { ArrowUpRight, ListTree, Repeat2, Unplug } from "lucide-react";
import { useMemo, type ReactNode } from "react";
import { Link } from "wouter";
import { useContextOfCall, useConversation, useStores, useThresholds } from "../../app-context.js";
import { StatusDot } from "../../components/status-dot.js";
import { durationText, formatCost, formatScore, formatWhole } from "../../format.js";
import { gradeScores } from "../../score-grades.js";
import { rowKeyOf } from "../../store/trace-key.js";
import {
  findingsOf,
  numberOf,
  scoreReason,
  textOf,
  type BilledAgain,
  type TurnFinding,
  type TurnReading,
} from "@obspan/collector-core/analysis";
import { Cost, costOfSum } from "../trace/cost.js";
import { useCacheBreaks } from "../trace/hooks/use-cache-breaks.js";
import { traceHref, tracePath } from "../trace/trace-address.js";
import { MiniTimeline } from "./mini-timeline.js";
import { readingOf } from "./model/turn-readings.js";
import { typeText } from "../../components/type-text.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./turn-pane.module.css";

/** From this share of the cost of the session on, a turn is named for it. */
const NAMED_SHARE = 0.5;
/** Findings that are listed; the trace has all. */
const SHOWN_FINDINGS = 8;

interface TurnPaneProps {
  readonly turn: TraceSummary;
  readonly number: number;
  readonly session: SessionSummary;
}

/** The trace of a turn: where its time went, what stands out, and its scores. */
export function TurnPane({ turn, number, session }: TurnPaneProps) {
  const { conversation } = useStores();
  const detail = useConversation(({ details }) => details[rowKeyOf(turn)]);
  const spans = detail?.spans;
  const reading = useMemo(() => (spans === undefined ? undefined : readingOf(spans)), [spans]);
  const key = { traceId: turn.trace_id, tenant: turn.tenant };
  return (
    <div className={styles.pane}>
      <header className={styles.head}>
        <div className={styles.title}>
          <StatusDot status={turn.status} />
          <h2>Turn {number}</h2>
          <span className={classNames(textStyles.mono, textStyles.faint, textStyles.cut)}>
            {turn.root_name}
          </span>
          <span className={textStyles.grow} />
          <Link href={traceHref(key)} className={buttonStyles.button}>
            <ListTree className={iconStyles.icon} aria-hidden />
            Open the trace <kbd aria-hidden>↵</kbd>
          </Link>
        </div>
        <Figures turn={turn} session={session} />
      </header>
      {detail?.error !== undefined && (
        <div className={styles.failure} role="alert">
          <p className={textStyles.break}>The trace could not be read: {detail.error.message}</p>
          <button
            type="button"
            className={classNames(buttonStyles.button, buttonStyles.small)}
            onClick={() => conversation.getState().retry(turn)}
          >
            Try again
          </button>
        </div>
      )}
      {reading !== undefined && (
        <>
          <MiniTimeline key={rowKeyOf(turn)} reading={reading} turn={turn} />
          <Findings reading={reading} turn={turn} />
          <Scores reading={reading} turn={turn} />
        </>
      )}
    </div>
  );
}

function Figures({ turn, session }: Pick<TurnPaneProps, "turn" | "session">) {
  const { tokens_input: input, tokens_output: output, cost_usd: cost, ttft_ms: ttft } = turn;
  const share = session.cost_usd > 0 ? cost / session.cost_usd : 0;
  return (
    <div className={styles.figures}>
      <Figure name="Time" value={durationText(turn.duration_ms)} />
      {ttft !== null && <Figure name="TTFT" value={durationText(ttft)} />}
      {input > 0 && <Figure name="In" value={formatWhole(input)} />}
      {output > 0 && <Figure name="Out" value={formatWhole(output)} />}
      {cost > 0 && <Figure name="Cost" value={<Cost cost={costOfSum(turn)} />} />}
      {share >= NAMED_SHARE && session.traces > 1 && (
        <span className={textStyles.warn}>{Math.round(share * 100)} % of the session</span>
      )}
    </div>
  );
}

function Figure({ name, value }: { name: string; value: ReactNode }) {
  return (
    <span>
      {name} <b>{value}</b>
    </span>
  );
}

interface PartProps {
  readonly reading: TurnReading;
  readonly turn: TraceSummary;
}

function Findings({ reading, turn }: PartProps) {
  const { trace_id: traceId, tenant } = turn;
  useCacheBreaks(
    useMemo(() => ({ traceId, tenant }), [traceId, tenant]),
    reading.run,
  );
  const broken = useContextOfCall((state) => state.broken);
  const findings = useMemo(() => findingsOf(reading, broken), [reading, broken]);
  if (findings.length === 0) return null;
  return (
    <section className={styles.section}>
      <header>
        <h3>What happened in this turn</h3>
      </header>
      {findings.slice(0, SHOWN_FINDINGS).map((finding) => (
        <Finding key={`${finding.type} ${finding.spanId}`} finding={finding} turn={turn} />
      ))}
      {findings.length > SHOWN_FINDINGS && (
        <p className={classNames(textStyles.faint, styles.more)}>
          {formatWhole(findings.length - SHOWN_FINDINGS)} more in the trace
        </p>
      )}
    </section>
  );
}

function Finding({ finding, turn }: { finding: TurnFinding; turn: TraceSummary }) {
  const key = { traceId: turn.trace_id, tenant: turn.tenant };
  const WarnIcon = finding.type === "cache" ? Unplug : Repeat2;
  return (
    <Link
      className={styles.finding}
      href={tracePath(key, {
        spanId: finding.spanId,
        tab: finding.type === "cache" ? "context" : "messages",
        view: "timeline",
      })}
    >
      {finding.type === "error" ? (
        <span className={styles.mark}>
          <StatusDot status="ERROR" name="failed" />
        </span>
      ) : (
        <WarnIcon className={classNames(iconStyles.small, textStyles.warn)} aria-hidden />
      )}
      <b className={textStyles.cut}>{finding.title}</b>
      <span className={classNames(textStyles.dim, textStyles.cut, textStyles.grow)}>{finding.detail}</span>
      {finding.ms !== undefined && <span className={textStyles.number}>{durationText(finding.ms)}</span>}
      {finding.again !== undefined && <Again again={finding.again} />}
      <ArrowUpRight className={classNames(iconStyles.tiny, textStyles.faint)} aria-hidden />
    </Link>
  );
}

/** What was billed again: what it cost, or its tokens without a price. */
function Again({ again: { tokens, costUsd } }: { again: BilledAgain }) {
  const text = `≈ ${formatWhole(tokens)} tokens`;
  return (
    <span className={classNames(textStyles.number, textStyles.warn)} data-tip={`${text} billed again`}>
      {costUsd === undefined ? text : `≈ ${formatCost(costUsd)}`}
    </span>
  );
}

/** The scores of the answer, each with the sentence of its judge. */
function Scores({ reading, turn }: PartProps) {
  const graded = gradeScores(
    turn.scores.filter(({ type }) => type !== FEEDBACK_TYPE),
    useThresholds(),
  );
  if (graded.length === 0) return null;
  const why = (type: string): string => scoreReason(reading, type) ?? "";
  const judges = new Set(reading.evaluations.flatMap((span) => textOf(span, "judge_model") ?? []));
  const cost = reading.evaluations.reduce((sum, span) => sum + (numberOf(span, "judge_cost_usd") ?? 0), 0);
  const judged = [...judges, ...(cost > 0 ? [formatCost(cost)] : [])].join(" · ");
  return (
    <section className={styles.section}>
      <header>
        <h3>Scores of the answer</h3>
        <span className={textStyles.grow} />
        <span className={classNames(textStyles.faint, textStyles.note)}>{judged}</span>
      </header>
      {graded.map(({ type, score, grade }) => (
        <div key={type} className={styles.score} data-tip={why(type)}>
          <b className={textStyles.cut}>{typeText(type)}</b>
          <span className={classNames(textStyles.dim, textStyles.cut, textStyles.grow)}>{why(type)}</span>
          <span className={classNames(textStyles.number, grade === "bad" && textStyles.error)}>
            {formatScore(score)}
          </span>
        </div>
      ))}
    </section>
  );
}
