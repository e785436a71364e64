import type { SessionSummary } from "@obspan/collector-core/api-schema";
import { Check, ThumbsDown, ThumbsUp } from "lucide-react";
import type { ReactNode } from "react";
import { DurationParts } from "../../components/duration-parts.js";
import { StatusDot } from "../../components/status-dot.js";
import { formatCount, formatDay, formatTime, formatWhole, shortenId } from "../../format.js";
import { Cost, costOfSum } from "../trace/cost.js";
import { ScoresCell } from "../traces/scores-cell.js";
import type { SessionColumnId } from "./session-columns.js";
import { TurnBars } from "./turn-bars.js";
import { classNames } from "../../components/class-names.js";
import iconStyles from "../../components/icon.module.css";
import tableStyles from "../../components/table.module.css";
import textStyles from "../../components/text.module.css";
import leadStyles from "../traces/cells.module.css";
import styles from "./session-cells.module.css";

interface CellProps {
  readonly session: SessionSummary;
  readonly hasDays: boolean;
  readonly isSelected: boolean;
}

/** The content of a cell. */
export function SessionCell({
  column,
  ...props
}: CellProps & { readonly column: SessionColumnId }): ReactNode {
  const { session, hasDays, isSelected } = props;
  switch (column) {
    case "state":
      return <LeadCell session={session} isSelected={isSelected} />;
    case "user":
      return <UserCell session={session} />;
    case "tenant":
      return <span className={classNames(textStyles.cut, textStyles.dim)}>{session.tenant || "–"}</span>;
    case "io":
      return <TextsCell session={session} />;
    case "turns":
      return <TurnBars session={session} />;
    case "agents":
      return <AgentsCell session={session} />;
    case "tokens":
      return <TokensCell session={session} />;
    case "cost":
      return session.cost_usd === 0 ? (
        <Nothing />
      ) : (
        <span className={textStyles.number}>
          <Cost cost={costOfSum(session)} />
        </span>
      );
    case "errors":
      return session.errors === 0 ? (
        <Nothing />
      ) : (
        <span className={classNames(textStyles.number, textStyles.error)}>{formatCount(session.errors)}</span>
      );
    case "scores":
      return <ScoresCell scores={session.scores} />;
    case "feedback":
      return <Feedback {...session.feedback} />;
    case "active":
      return <Active ms={session.active_ms} />;
    case "last":
      return (
        <span className={classNames(textStyles.number, !session.running && textStyles.dim)}>
          {hasDays && <span className={textStyles.unit}>{formatDay(session.last_time)} </span>}
          {formatTime(session.last_time)}
        </span>
      );
  }
}

/** The state; a check box while the pointer is on the row, or if it is selected. */
function LeadCell({ session, isSelected }: Pick<CellProps, "session" | "isSelected">) {
  return (
    <span
      className={classNames(leadStyles.lead, styles.selects)}
      data-selects
      data-tip={isSelected ? "Selected" : undefined}
    >
      {!isSelected && <SessionState session={session} />}
      <span
        className={isSelected ? classNames(tableStyles.check, tableStyles.on) : tableStyles.check}
        aria-hidden
      >
        {isSelected && <Check className={iconStyles.icon} />}
      </span>
      {isSelected && (
        <span className={textStyles.screenReader}>{session.running ? "running" : "not running"}</span>
      )}
    </span>
  );
}

/** A ring that pulses while a turn runs, otherwise a small faint one. */
export function SessionState({ session: { running } }: { session: SessionSummary }) {
  return (
    <span className={styles.lead}>
      {running ? (
        <StatusDot status="RUNNING" name="running" />
      ) : (
        <i className={styles.idle} role="img" aria-label="not running" data-tip="Not running" />
      )}
    </span>
  );
}

/** Whose session it is; without a user, the id of the session. */
function UserCell({ session: { user_id: user, session_id: id } }: { session: SessionSummary }) {
  return user === null ? (
    <span
      className={classNames(textStyles.cut, textStyles.mono, textStyles.faint)}
      data-tip={`Session ${id}`}
    >
      {shortenId(id, 18)}
    </span>
  ) : (
    <span className={classNames(textStyles.cut, textStyles.mono)} data-tip={`${user}\nSession ${id}`}>
      {user}
    </span>
  );
}

function TextsCell({ session }: { session: SessionSummary }) {
  const { first_input_preview: first, last_output_preview: last, last_error_type: error, running } = session;
  const out = running ? (
    <span className={classNames(styles.out, textStyles.cut, styles.running)}>running…</span>
  ) : error !== null ? (
    <span className={classNames(styles.out, textStyles.cut, styles.error)}>
      {[error, last].filter((part) => part !== null).join(" · ")}
    </span>
  ) : last !== null ? (
    <bdi className={classNames(styles.out, textStyles.cut)}>{last}</bdi>
  ) : undefined;
  return (
    <span className={styles.io} data-tip={[first, last].filter((part) => part !== null).join("\n→ ")}>
      {first === null ? (
        <span className={classNames(styles.in, textStyles.cut, textStyles.faint)}>no text recorded</span>
      ) : (
        <bdi className={classNames(styles.in, textStyles.cut)}>{first}</bdi>
      )}
      {out !== undefined && (
        <>
          <span className={styles.arrow} aria-hidden>
            →
          </span>
          {out}
        </>
      )}
    </span>
  );
}

function AgentsCell({ session: { agents } }: { session: SessionSummary }) {
  const [first, ...others] = agents;
  if (first === undefined) return <span className={textStyles.faint}>·</span>;
  return (
    <span className={styles.agents} data-tip={agents.join("\n")}>
      <span className={classNames(textStyles.cut, textStyles.dim)}>{first}</span>
      {others.length > 0 && <span className={textStyles.count}>+{others.length}</span>}
    </span>
  );
}

function TokensCell({
  session: { tokens_input: input, tokens_output: output },
}: {
  session: SessionSummary;
}) {
  if (input + output === 0) return <Nothing />;
  return (
    <span className={textStyles.number} data-tip={`${formatWhole(input)} in, ${formatWhole(output)} out`}>
      {formatCount(input)}
      <span className={textStyles.unit}> / </span>
      <span className={textStyles.dim}>{formatCount(output)}</span>
    </span>
  );
}

/** Thumbs up and down, as far as there are any. */
export function Feedback({ up, down }: SessionSummary["feedback"]) {
  if (up + down === 0) return <span className={textStyles.faint}>·</span>;
  return (
    <span className={styles.feedback}>
      {up > 0 && (
        <span className={textStyles.dim}>
          <ThumbsUp className={iconStyles.tiny} aria-label="Thumbs up" />
          {up}
        </span>
      )}
      {down > 0 && (
        <span className={textStyles.error}>
          <ThumbsDown className={iconStyles.tiny} aria-label="Thumbs down" />
          {down}
        </span>
      )}
    </span>
  );
}

function Active({ ms }: { ms: number }) {
  return (
    <span className={classNames(textStyles.number, textStyles.dim)}>
      <DurationParts ms={ms} />
    </span>
  );
}

function Nothing() {
  return <span className={classNames(textStyles.number, textStyles.faint)}>·</span>;
}
