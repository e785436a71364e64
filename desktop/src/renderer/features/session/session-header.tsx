import { useThresholds } from "../../app-context.js";
import type { SessionSummary } from "@obspan/collector-core/api-schema";
import { ChevronDown, ChevronUp } from "lucide-react";
import { Fact, StepButton } from "../../components/page-head.js";
import { CopyButton } from "../../components/copy-button.js";
import {
  formatDay,
  formatDuration,
  formatScore,
  formatTime,
  formatWhole,
  shortenId,
} from "../../format.js";
import { gradeScores } from "../../score-grades.js";
import { Feedback, SessionState } from "../sessions/session-cells.js";
import { Cost, costOfSum } from "../trace/cost.js";
import type { SessionSteps } from "./use-session-steps.js";
import { classNames } from "../../components/class-names.js";
import badgeStyles from "../../components/badge.module.css";
import textStyles from "../../components/text.module.css";
import headStyles from "../../components/page-head.module.css";

/** Whose session it is, and its figures. */
export function SessionHeader({ session, openNewer, openOlder }: { session: SessionSummary } & SessionSteps) {
  const { session_id: id, user_id: user } = session;
  return (
    <header className={headStyles.traceHead}>
      <div className={headStyles.traceTitle}>
        <SessionState session={session} />
        <h1 className={textStyles.cut} data-tip={user ?? id}>
          {user ?? `Session ${shortenId(id, 20)}`}
        </h1>
        {session.running && <span className={badgeStyles.running}>running</span>}
        <CopyButton
          text={id}
          name="Copy the session id"
          className={classNames(headStyles.id, textStyles.mono)}
        >
          {shortenId(id, 32)}
        </CopyButton>
        <span className={textStyles.grow} />
        <StepButton name="Newer session" keys="K" onClick={openNewer} icon={ChevronUp} />
        <StepButton name="Older session" keys="J" onClick={openOlder} icon={ChevronDown} />
      </div>
      <Facts session={session} />
    </header>
  );
}

/** The figures that have a value. */
function Facts({ session }: { session: SessionSummary }) {
  const { tokens_input: input, tokens_output: output, agents, worst_score: worst, feedback } = session;
  const active = formatDuration(session.active_ms);
  const span = formatDuration(Date.parse(session.last_time) - Date.parse(session.start_time));
  const [agent, ...others] = agents;
  return (
    <dl className={headStyles.facts}>
      <Fact name="Started">
        {formatTime(session.start_time)} <small>{formatDay(session.start_time)}</small>
      </Fact>
      <Fact name="Last activity">{formatTime(session.last_time)}</Fact>
      <Fact name="Turns">{formatWhole(session.traces)}</Fact>
      <Fact name="Active">
        {active.value}
        <small>
          {active.unit} of {span.value} {span.unit}
        </small>
      </Fact>
      {input + output > 0 && (
        <Fact name="Tokens in → out">
          {formatWhole(input)} <small>→</small> {formatWhole(output)}
        </Fact>
      )}
      {session.cost_usd > 0 && (
        <Fact name="Cost">
          <Cost cost={costOfSum(session)} />
        </Fact>
      )}
      {agent !== undefined && (
        <Fact name="Agents" tip={agents.join("\n")} canShrink>
          <span className={textStyles.cut}>{agent}</span>
          {others.length > 0 && <small>+{others.length}</small>}
        </Fact>
      )}
      {session.errors > 0 && (
        <Fact name="Errors">
          <span className={textStyles.error}>{formatWhole(session.errors)}</span>
        </Fact>
      )}
      {feedback.up + feedback.down > 0 && (
        <Fact name="Feedback">
          <Feedback {...feedback} />
        </Fact>
      )}
      {worst !== null && <WorstScore {...worst} />}
      {session.tenant !== "" && (
        <Fact name="Tenant" tip={session.tenant} canShrink>
          <span className={textStyles.cut}>{session.tenant}</span>
        </Fact>
      )}
    </dl>
  );
}

function WorstScore({ type, score, label }: NonNullable<SessionSummary["worst_score"]>) {
  const [graded] = gradeScores([{ type, score, label }], useThresholds());
  const isBad = graded?.grade === "bad";
  return (
    <Fact name="Worst score" tip={`${type} ${formatScore(score)}${label === null ? "" : ` (${label})`}`}>
      <span className={classNames(headStyles.score, isBad && textStyles.error)}>
        {formatScore(score)}
        <small>{type.replaceAll("_", " ")}</small>
      </span>
    </Fact>
  );
}
