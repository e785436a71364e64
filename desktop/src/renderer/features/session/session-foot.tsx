import type { SessionSummary } from "@obspan/collector-core/api-schema";
import { useMemo } from "react";
import { useConversation } from "../../app-context.js";
import { formatWhole } from "../../format.js";
import { KeyHint } from "../../components/key-hint.js";
import { sessionRedactions } from "./model/redactions.js";
import { classNames } from "../../components/class-names.js";
import pageStyles from "../../components/page.module.css";
import textStyles from "../../components/text.module.css";

interface SessionFootProps {
  readonly session: SessionSummary;
  /** Turns that were fetched. */
  readonly loaded: number;
  /** What became of the last thumb, evaluation or copy, if it has something to say. */
  readonly notice: string | undefined;
}

/** Keyboard hints, and how much of the session is shown. */
export function SessionFoot({ session, loaded, notice }: SessionFootProps) {
  return (
    <footer className={pageStyles.foot}>
      <span className={pageStyles.footKeys} aria-hidden>
        <KeyHint keys={["↑", "↓"]}>turn</KeyHint>
        <KeyHint keys={["→"]}>unfold its activity</KeyHint>
        <KeyHint keys={["↵"]}>open the trace</KeyHint>
        <KeyHint keys={["C"]}>compare with the turn before</KeyHint>
        <KeyHint keys={["+", "−"]}>thumb up, down</KeyHint>
      </span>
      <span className={textStyles.grow} />
      {notice !== undefined && <span role="status">{notice}</span>}
      <span className={classNames(textStyles.cut)}>
        {loaded < session.traces && `${formatWhole(loaded)} of `}
        {formatWhole(session.traces)}{" "}
        {session.traces === 1 ? "turn = 1 trace" : `turns = ${formatWhole(session.traces)} traces`}
        <Redactions session={session} />
      </span>
    </footer>
  );
}

/** What redaction replaced in what was said, as far as the turns were read. */
function Redactions({ session }: Pick<SessionFootProps, "session">) {
  const turns = useConversation((state) => state.turns);
  const details = useConversation((state) => state.details);
  const { count, turns: read } = useMemo(() => sessionRedactions(turns, details), [turns, details]);
  if (count === 0) return null;
  const where = read < session.traces ? ` in ${formatWhole(read)} turns` : "";
  return (
    <span data-tip="Personal data and secrets that redaction replaced in what was said">
      {" · "}
      {formatWhole(count)} {count === 1 ? "redaction" : "redactions"}
      {where}
    </span>
  );
}
