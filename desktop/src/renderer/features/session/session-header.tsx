import { useStores, useThresholds } from "../../app-context.js";
import type { SessionSummary, TraceSummary } from "@obspan/collector-core/api-schema";
import { ChevronDown, ChevronUp } from "lucide-react";
import { Fact, StepButton } from "../../components/page-head.js";
import { CopyButton } from "../../components/copy-button.js";
import { CopyMarkdown } from "../../components/copy-markdown.js";
import { EvaluateMenu } from "../../components/evaluate-menu.js";
import { formatDay, formatDuration, formatScore, formatTime, formatWhole, shortenId } from "../../format.js";
import { gradeScores } from "../../score-grades.js";
import { Cost, costOfSum } from "../trace/cost.js";
import { SESSION_FILES, ShareMenu } from "../trace/share-menu.js";
import type { SessionActions } from "./use-session-actions.js";
import { Feedback, SessionState } from "../sessions/session-cells.js";
import type { SessionSteps } from "./use-session-steps.js";
import { typeText } from "../../components/type-text.js";
import { classNames } from "../../components/class-names.js";
import badgeStyles from "../../components/badge.module.css";
import buttonStyles from "../../components/button.module.css";
import textStyles from "../../components/text.module.css";
import headStyles from "../../components/page-head.module.css";
import styles from "./session-header.module.css";

/** More turns with errors are not named. */
const NAMED_TURNS = 3;

interface SessionHeaderProps extends SessionSteps {
  readonly session: SessionSummary;
  /** Those that were fetched: the last ones. */
  readonly turns: readonly TraceSummary[];
  readonly actions: SessionActions;
}

/** Whose session it is, what can be done with it, and its figures. */
export function SessionHeader({ session, turns, actions, openNewer, openOlder }: SessionHeaderProps) {
  const { api, conversation } = useStores();
  const { session_id: id, user_id: user, tenant } = session;
  return (
    <header className={headStyles.traceHead}>
      <div className={headStyles.traceTitle}>
        <SessionState session={session} />
        <h1 className={textStyles.cut} data-tip={user ?? id}>
          {user ?? `Session ${shortenId(id, 32)}`}
        </h1>
        {session.running && <span className={badgeStyles.running}>running</span>}
        <CopyButton
          text={id}
          name="Copy the session id"
          className={classNames(headStyles.id, textStyles.mono)}
        >
          {user === null ? undefined : shortenId(id, 32)}
        </CopyButton>
        <span className={textStyles.grow} />
        <EvaluateMenu
          className={buttonStyles.button}
          label="Evaluate the session"
          traces={() => conversation.getState().allTraces()}
        />
        <CopyMarkdown
          text={actions.readMarkdown}
          tip="Copy the conversation as Markdown, with personal data replaced"
          nameClass={styles.copyName}
        />
        <ShareMenu
          what="session"
          files={SESSION_FILES}
          addressOf={(format, isRaw) => api.sessionFileAddress({ sessionId: id, tenant }, format, isRaw)}
          copyLink={actions.copyLink}
        />
        <StepButton name="Newer session" keys="K" onClick={openNewer} icon={ChevronUp} />
        <StepButton name="Older session" keys="J" onClick={openOlder} icon={ChevronDown} />
      </div>
      <Facts session={session} turns={turns} />
    </header>
  );
}

/** The figures that have a value. */
function Facts({ session, turns }: Pick<SessionHeaderProps, "session" | "turns">) {
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
          <small>{failedTurns(turns, session)}</small>
        </Fact>
      )}
      {feedback.up + feedback.down > 0 && (
        <Fact name="Feedback">
          <Feedback {...feedback} />
        </Fact>
      )}
      {worst !== null && <WorstScore {...worst} turn={numberOf(turns, session, worst.trace_id)} />}
      {session.tenant !== "" && (
        <Fact name="Tenant" tip={session.tenant} canShrink>
          <span className={textStyles.cut}>{session.tenant}</span>
        </Fact>
      )}
    </dl>
  );
}

/** The number of a turn; undefined if it was not fetched. */
function numberOf(
  turns: readonly TraceSummary[],
  session: SessionSummary,
  traceId: string,
): number | undefined {
  const index = turns.findIndex(({ trace_id: id }) => id === traceId);
  return index === -1 ? undefined : session.traces - turns.length + index + 1;
}

/** `turns 3 and 4`, where they are few and known. */
function failedTurns(turns: readonly TraceSummary[], session: SessionSummary): string {
  if (turns.length < session.traces) return "";
  const failed = turns.flatMap(({ error_count: errors }, index) => (errors > 0 ? [index + 1] : []));
  if (failed.length === 0 || failed.length > NAMED_TURNS) return "";
  const last = failed.at(-1) ?? 0;
  return failed.length === 1 ? `turn ${last}` : `turns ${failed.slice(0, -1).join(", ")} and ${last}`;
}

type WorstScoreProps = NonNullable<SessionSummary["worst_score"]> & { readonly turn: number | undefined };

function WorstScore({ type, score, label, turn }: WorstScoreProps) {
  const [graded] = gradeScores([{ type, score, label }], useThresholds());
  const isBad = graded?.grade === "bad";
  return (
    <Fact name="Worst score" tip={`${type} ${formatScore(score)}${label === null ? "" : ` (${label})`}`}>
      <span className={classNames(headStyles.score, isBad && textStyles.error)}>
        {formatScore(score)}
        <small>
          {typeText(type)}
          {turn !== undefined && `, turn ${turn}`}
        </small>
      </span>
    </Fact>
  );
}
