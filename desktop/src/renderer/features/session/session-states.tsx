import { SearchX } from "lucide-react";
import { Link } from "wouter";
import { useConversation, useStores } from "../../app-context.js";
import { PageLoading } from "../../components/page-loading.js";
import { RequestFailed } from "../../components/request-failed.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import pageStyles from "../../components/page.module.css";
import textStyles from "../../components/text.module.css";
import traceStateStyles from "../trace/trace-states.module.css";

/** Widths of the placeholder lines, in per cent. */
const BARS = [26, 35.5, 19, 33, 40, 22, 30.5, 23.5];

/** Loading state of the page. */
export function SessionLoading() {
  const indentOf = (index: number): number => 68 + (index % 2) * 22;
  return <PageLoading label="Loading the session" head={[180, 520]} bars={BARS} indentOf={indentOf} />;
}

/** Error state of the page. */
export function SessionMissing() {
  const { conversation } = useStores();
  const error = useConversation((state) => state.error);
  const sessionId = useConversation((state) => state.sessionId);
  if (error?.code === "session_not_found") {
    return (
      <div className={pageStyles.blank}>
        <SearchX className={iconStyles.icon} aria-hidden />
        <h1>No such session</h1>
        <p className={textStyles.dim}>
          No trace in the store is of this session: none was received with this session_id, or all were
          evicted.
        </p>
        <p className={classNames(textStyles.mono, textStyles.faint, textStyles.break)}>{sessionId}</p>
        <Link href="/sessions" className={buttonStyles.button}>
          Back to the sessions
        </Link>
      </div>
    );
  }
  return (
    <RequestFailed
      title="The session could not be read"
      isPage
      error={error}
      retry={() => void conversation.getState().refresh()}
      loading={<SessionLoading />}
    />
  );
}

/** Explains why the shown session is no longer updated. */
export function StaleSession() {
  const error = useConversation((state) => state.error);
  if (error === undefined || error.code === "unreachable" || error.code === "unauthorized") return null;
  const text =
    error.code === "session_not_found"
      ? "All traces of this session were deleted or evicted. Its last known state is shown."
      : `The session could not be refreshed: ${error.message}`;
  return (
    <div className={traceStateStyles.stale} role="status">
      {text}
    </div>
  );
}
