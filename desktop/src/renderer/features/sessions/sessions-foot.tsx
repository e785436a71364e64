import { Link } from "wouter";
import type { TraceFilters } from "../../api/collector-api.js";
import { useSessions, useStores } from "../../app-context.js";
import { formatWhole } from "../../format.js";
import { withoutSession } from "../../store/session-terms.js";
import { tracesAddress } from "../traces/filter-address.js";
import { KeyHint } from "../../components/key-hint.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import pageStyles from "../../components/page.module.css";
import textStyles from "../../components/text.module.css";
import barStyles from "./turn-bars.module.css";
import styles from "./sessions-foot.module.css";

/** Keyboard hints, the legend of the bars, and which traces are in a session. */
export function SessionsFoot({ filters }: { readonly filters: TraceFilters }) {
  return (
    <footer className={pageStyles.foot}>
      <span className={pageStyles.footKeys} aria-hidden>
        <KeyHint keys={["↑", "↓"]}>move</KeyHint>
        <KeyHint keys={["↵"]}>open</KeyHint>
        <KeyHint keys={["X"]}>select</KeyHint>
        <KeyHint keys={["F"]}>add filter</KeyHint>
        <KeyHint keys={["L"]}>follow new</KeyHint>
        <span className={styles.legend}>
          <span className={barStyles.bars}>
            <i style={{ height: 6 }} />
            <i style={{ height: 11 }} />
            <i className={barStyles.failed} style={{ height: 8 }} />
          </span>
          one bar a turn: height is its time, red failed
        </span>
      </span>
      <span className={textStyles.grow} />
      <ListState />
      <span className={styles.meaning}>
        Sessions are traces with the same{" "}
        <span className={classNames(textStyles.mono, styles.key)}>session_id</span>
        <TracesWithout filters={filters} />
      </span>
    </footer>
  );
}

/** The traces that match and are in no session, if there are any. */
function TracesWithout({ filters }: { readonly filters: TraceFilters }) {
  const count = useSessions((state) => state.traceCountWithout) ?? 0;
  const others = withoutSession(filters);
  if (count === 0 || others === undefined) return null;
  return (
    <>
      {" · "}
      <Link href={tracesAddress(others)} className={styles.none}>
        {formatWhole(count)} {count === 1 ? "trace has" : "traces have"} none
      </Link>
    </>
  );
}

/** That a page is being fetched, or why it is not. How many sessions are listed stands above the list. */
function ListState() {
  const { sessions } = useStores();
  const isLoadingMore = useSessions((state) => state.isLoadingMore);
  const error = useSessions((state) => state.error);
  if (isLoadingMore) return <span>Fetching sessions…</span>;
  if (error === undefined || error.code === "unreachable") return null;
  return (
    <span className={classNames(textStyles.error, styles.failure)}>
      {error.message}{" "}
      <button
        type="button"
        className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.small)}
        onClick={() => void sessions.getState().load()}
      >
        Try again
      </button>
    </span>
  );
}
