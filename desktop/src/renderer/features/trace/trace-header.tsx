import { ChevronDown, ChevronUp, GitCompare } from "lucide-react";
import type { TraceSummary } from "@obspan/collector-core/api-schema";
import { costOf } from "@obspan/collector-core/analysis";
import { Link } from "wouter";
import type { SessionKey } from "../../api/collector-api.js";
import { useStores, useThresholds, useTrace } from "../../app-context.js";
import { EvaluateMenu } from "../../components/evaluate-menu.js";
import { Fact, StepButton } from "../../components/page-head.js";
import { CopyButton } from "../../components/copy-button.js";
import { StatusDot } from "../../components/status-dot.js";
import {
  formatDay,
  formatDuration,
  formatPreciseTime,
  formatScore,
  formatWhole,
  shortenId,
} from "../../format.js";
import { LowerIsBetter } from "../../components/lower-is-better.js";
import { byGrade, gradeScores, type Grade } from "../../score-grades.js";
import { useTraceNow } from "./hooks/use-trace-now.js";
import type { Neighbours } from "./hooks/use-neighbours.js";
import { useSelection } from "./hooks/use-selection.js";
import { compareHref } from "../compare/compare-address.js";
import { sessionHref } from "../session/session-address.js";
import { Cost } from "./cost.js";
import { Part } from "./part.js";
import { SHARED_FILES, ShareMenu } from "./share-menu.js";
import { useTracePage } from "./trace-page-context.js";
import { typeText } from "../../components/type-text.js";
import { classNames } from "../../components/class-names.js";
import badgeStyles from "../../components/badge.module.css";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import styles from "../../components/page-head.module.css";

/** Longer ids are cut in the middle; 32 hexadecimal digits fit. */
const ID_LENGTH = 32;
/** Scores shown in the header; the rest is in the tooltip. */
const SHOWN_SCORES = 3;

/** Only bad scores are coloured. */
const SCORE_CLASS: Readonly<Record<Grade, string | undefined>> = {
  good: undefined,
  weak: textStyles.warn,
  bad: textStyles.error,
};

interface TraceHeaderProps extends Neighbours {
  readonly trace: TraceSummary;
  readonly copyLink: () => void;
}

/** Name, status and figures of the trace. */
export function TraceHeader({ trace, copyLink, openNewer, openOlder }: TraceHeaderProps) {
  const { api } = useStores();
  const { root_name: name, trace_id: id, error_count: errors } = trace;
  return (
    <header className={styles.traceHead}>
      <div className={styles.traceTitle}>
        <StatusDot status={trace.status} />
        <h1 className={textStyles.cut} data-tip={name} dir="auto">
          {name}
        </h1>
        {errors > 0 && <Errors count={errors} />}
        {trace.running && <span className={badgeStyles.running}>running</span>}
        {trace.partial && (
          <span
            className={badgeStyles.warn}
            data-tip="Earlier spans of this trace were evicted before these arrived"
          >
            partial
          </span>
        )}
        <CopyButton text={id} name="Copy the trace id" className={classNames(styles.id, textStyles.mono)}>
          {shortenId(id, ID_LENGTH)}
        </CopyButton>
        <span className={textStyles.grow} />
        <Link
          className={classNames(buttonStyles.button, styles.compare)}
          href={compareHref({ a: undefined, b: { traceId: id, tenant: trace.tenant } })}
          aria-label="Compare with the previous run"
          data-tip="Compare with the previous run of this name  C"
        >
          <GitCompare className={iconStyles.icon} aria-hidden />
          <span>Compare</span> <kbd aria-hidden>C</kbd>
        </Link>
        <EvaluateMenu className={buttonStyles.button} traces={[{ traceId: id, tenant: trace.tenant }]} />
        <ShareMenu
          what="trace"
          files={SHARED_FILES}
          addressOf={(format, isRaw) =>
            api.traceFileAddress({ traceId: id, tenant: trace.tenant }, format, isRaw)
          }
          copyLink={copyLink}
        />
        <StepButton name="Newer trace" keys="K" onClick={openNewer} icon={ChevronUp} />
        <StepButton name="Older trace" keys="J" onClick={openOlder} icon={ChevronDown} />
      </div>
      <Part name="This list of figures">
        <Facts trace={trace} />
      </Part>
    </header>
  );
}

/** How many spans failed; pressing it goes from one to the next. */
function Errors({ count }: { count: number }) {
  const { failed } = useTracePage();
  const { selectAmong } = useSelection();
  return (
    <button
      type="button"
      className={classNames(badgeStyles.error, styles.errors)}
      data-tip="Go to the next error  E"
      onClick={() => selectAmong(failed, 1)}
    >
      {formatWhole(count)} error {count === 1 ? "span" : "spans"}
    </button>
  );
}

/** The figures that have a value. */
function Facts({ trace }: { trace: TraceSummary }) {
  const { tokens_input: input, tokens_output: output, models } = trace;
  const place = [trace.env, trace.version].filter((part) => part !== null && part !== "").join(" · ");
  const [model, ...otherModels] = models;
  const isComputed = useTrace(({ spans }) => spans.some((span) => costOf(span)?.isComputed === true));
  return (
    <dl className={styles.facts}>
      <Fact name="Started">
        {formatPreciseTime(trace.start_time)} <small>{formatDay(trace.start_time)}</small>
      </Fact>
      <Fact name="Duration">
        <TraceDuration trace={trace} />
      </Fact>
      {trace.ttft_ms !== null && (
        <Fact name="TTFT">
          <Measured ms={trace.ttft_ms} />
        </Fact>
      )}
      {input + output > 0 && (
        <Fact name="Tokens in → out">
          {formatWhole(input)} <small>→</small> {formatWhole(output)}
        </Fact>
      )}
      {trace.cost_usd > 0 && (
        <Fact name="Cost">
          <Cost cost={{ usd: trace.cost_usd, isComputed }} />
        </Fact>
      )}
      {model !== undefined && (
        <Fact name="Models" tip={models.join("\n")} canShrink>
          <span className={textStyles.cut}>{model}</span>{" "}
          {otherModels.length > 0 && <small>+{otherModels.length}</small>}
        </Fact>
      )}
      <Fact name="Service" tip={`${trace.service} ${place}`} canShrink="first">
        <span className={textStyles.cut}>{trace.service}</span>{" "}
        <small className={textStyles.cut}>{place}</small>
      </Fact>
      {trace.tenant !== "" && (
        <Fact name="Tenant" tip={trace.tenant} canShrink>
          <span className={textStyles.cut}>{trace.tenant}</span>
        </Fact>
      )}
      {trace.session_id !== null && (
        <Fact name="Session" tip={trace.session_id} canShrink>
          <Link className={textStyles.cut} href={sessionHref(sessionOf(trace), trace.trace_id)}>
            {shortenId(trace.session_id, 20)}
          </Link>
        </Fact>
      )}
      {trace.scores.length > 0 && <Scores scores={trace.scores} />}
    </dl>
  );
}

function sessionOf({ session_id: sessionId, tenant }: TraceSummary): SessionKey {
  return { sessionId: sessionId ?? "", tenant };
}

function TraceDuration({ trace }: { trace: TraceSummary }) {
  const nowMs = useTraceNow();
  if (!trace.running) return <Measured ms={trace.duration_ms} />;
  const { value, unit } = formatDuration(nowMs);
  return (
    <>
      <span className={textStyles.running}>{value}</span>
      <small>{unit} so far</small>
    </>
  );
}

function Measured({ ms }: { ms: number }) {
  const { value, unit } = formatDuration(ms);
  return (
    <>
      {value}
      <small>{unit}</small>
    </>
  );
}

function Scores({ scores }: { scores: TraceSummary["scores"] }) {
  const graded = gradeScores(scores, useThresholds());
  const all = graded.map(({ type, score, label, isLowerBetter }) =>
    `${type}${isLowerBetter ? " ↓" : ""} ${formatScore(score)} ${label ?? ""}`.trim(),
  );
  // The worst scores are always among those shown.
  const worst = new Set(graded.toSorted(byGrade).slice(0, SHOWN_SCORES));
  const shown = graded.filter((score) => worst.has(score));
  return (
    <Fact name="Scores" tip={all.join("\n")}>
      {shown.map(({ type, score, grade, isLowerBetter }) => (
        <span key={type} className={classNames(styles.score, SCORE_CLASS[grade])}>
          {formatScore(score)}
          <small>{typeText(type)}</small>
          {isLowerBetter && <LowerIsBetter />}
        </span>
      ))}
      {scores.length > SHOWN_SCORES && <small>+{scores.length - SHOWN_SCORES}</small>}
    </Fact>
  );
}
