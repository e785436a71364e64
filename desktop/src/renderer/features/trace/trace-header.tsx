import { ChevronDown, ChevronUp } from "lucide-react";
import type { ReactNode } from "react";
import type { TraceSummary } from "@obspan/collector-core/api-schema";
import { useTrace } from "../../app-context.js";
import { EvaluateMenu } from "../../components/evaluate-menu.js";
import { CopyButton } from "../../components/copy-button.js";
import { StatusDot } from "../../components/status-dot.js";
import {
  formatCost,
  formatDay,
  formatDuration,
  formatPreciseTime,
  formatScore,
  formatWhole,
  shortenId,
} from "../../format.js";
import { gradeScores, type Grade } from "../../score-grades.js";
import { useTraceNow } from "./hooks/use-trace-now.js";
import type { Neighbours } from "./hooks/use-neighbours.js";
import { textOf } from "./model/span-facts.js";
import { Part } from "./part.js";
import { classNames } from "../../components/class-names.js";
import badgeStyles from "../../components/badge.module.css";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./trace-header.module.css";

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

/** Name, status and figures of the trace. */
export function TraceHeader({ trace, openNewer, openOlder }: { trace: TraceSummary } & Neighbours) {
  const { root_name: name, trace_id: id, error_count: errors } = trace;
  return (
    <header className={styles.traceHead}>
      <div className={styles.traceTitle}>
        <StatusDot status={trace.status} />
        <h1 className={textStyles.cut} title={name}>
          {name}
        </h1>
        {errors > 0 && (
          <span className={badgeStyles.error}>
            {formatWhole(errors)} error {errors === 1 ? "span" : "spans"}
          </span>
        )}
        {trace.running && <span className={badgeStyles.running}>running</span>}
        {trace.partial && (
          <span
            className={badgeStyles.warn}
            title="Earlier spans of this trace were evicted before these arrived"
          >
            partial
          </span>
        )}
        <CopyButton text={id} name="Copy the trace id" className={classNames(styles.id, textStyles.mono)}>
          {shortenId(id, ID_LENGTH)}
        </CopyButton>
        <span className={textStyles.grow} />
        <EvaluateMenu className={buttonStyles.button} traces={[{ traceId: id, tenant: trace.tenant }]} />
        <StepButton name="Newer trace" keys="K" onClick={openNewer} icon={ChevronUp} />
        <StepButton name="Older trace" keys="J" onClick={openOlder} icon={ChevronDown} />
      </div>
      <Part name="This list of figures">
        <Facts trace={trace} />
      </Part>
    </header>
  );
}

interface StepButtonProps {
  readonly name: string;
  readonly keys: string;
  readonly onClick: (() => void) | undefined;
  readonly icon: typeof ChevronUp;
}

function StepButton({ name, keys, onClick, icon: Icon }: StepButtonProps) {
  return (
    <button
      type="button"
      className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.square)}
      aria-label={name}
      title={`${name}  ${keys}`}
      disabled={onClick === undefined}
      onClick={onClick}
    >
      <Icon className={iconStyles.icon} aria-hidden />
    </button>
  );
}

/** The figures that have a value. */
function Facts({ trace }: { trace: TraceSummary }) {
  const session = useTrace(({ spans }) => {
    const named = spans.find((span) => textOf(span, "session_id") !== undefined);
    return named && textOf(named, "session_id");
  });
  const { tokens_input: input, tokens_output: output, models } = trace;
  const place = [trace.env, trace.version].filter((part) => part !== null && part !== "").join(" · ");
  const [model, ...otherModels] = models;
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
      {trace.cost_usd > 0 && <Fact name="Cost">{formatCost(trace.cost_usd)}</Fact>}
      {model !== undefined && (
        <Fact name="Models" title={models.join("\n")} canShrink>
          <span className={textStyles.cut}>{model}</span>{" "}
          {otherModels.length > 0 && <small>+{otherModels.length}</small>}
        </Fact>
      )}
      <Fact name="Service" title={`${trace.service} ${place}`} canShrink>
        <span className={textStyles.cut}>{trace.service}</span>{" "}
        <small className={textStyles.cut}>{place}</small>
      </Fact>
      {trace.tenant !== "" && (
        <Fact name="Tenant" title={trace.tenant} canShrink>
          <span className={textStyles.cut}>{trace.tenant}</span>
        </Fact>
      )}
      {session !== undefined && (
        <Fact name="Session" title={session} canShrink>
          <span className={textStyles.cut}>{shortenId(session, 20)}</span>
        </Fact>
      )}
      {trace.scores.length > 0 && <Scores scores={trace.scores} />}
    </dl>
  );
}

interface FactProps {
  readonly name: string;
  readonly title?: string;
  /** The text is cut if space is short; figures are not. */
  readonly canShrink?: boolean;
  readonly children: ReactNode;
}

function Fact({ name, title, canShrink = false, children }: FactProps) {
  return (
    <div title={title} className={canShrink ? styles.shrinks : undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function TraceDuration({ trace }: { trace: TraceSummary }) {
  const nowMs = useTraceNow();
  return <Measured ms={trace.running ? nowMs : trace.duration_ms} />;
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
  const all = scores.map(({ type, score, label }) => `${type} ${formatScore(score)} ${label ?? ""}`.trim());
  const graded = gradeScores(scores);
  // The worst scores are always among those shown.
  const worst = new Set(graded.toSorted((a, b) => a.goodness - b.goodness).slice(0, SHOWN_SCORES));
  const shown = graded.filter((score) => worst.has(score));
  return (
    <Fact name="Scores" title={all.join("\n")}>
      {shown.map(({ type, score, grade }) => (
        <span key={type} className={classNames(styles.score, SCORE_CLASS[grade])}>
          {formatScore(score)}
          <small>{type.replaceAll("_", " ")}</small>
        </span>
      ))}
      {scores.length > SHOWN_SCORES && <small>+{scores.length - SHOWN_SCORES}</small>}
    </Fact>
  );
}
