import { ChevronRight, Pause, Play, Search } from "lucide-react";
import { Link, useLocation, useRoute } from "wouter";
import {
  useComparison,
  useConnection,
  useConversation,
  useStores,
  useTrace,
  useTraces,
} from "../../app-context.js";
import { CopyButton } from "../../components/copy-button.js";
import { ErrorBoundary } from "../../components/error-boundary.js";
import { StatusDot } from "../../components/status-dot.js";
import { formatWhole } from "../../format.js";
import { traceHref } from "../trace/trace-address.js";
import { openPalette } from "./overlays.js";
import { PAGES } from "./pages.js";
import { Sparkline } from "./sparkline.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./top-bar.module.css";

/** The current page, the state of the collector, and the search. */
export function TopBar() {
  const [path] = useLocation();
  return (
    <header className={styles.top}>
      <ErrorBoundary name="The name" resetKey={path}>
        <Crumbs />
      </ErrorBoundary>
      <div className={textStyles.grow} />
      <ErrorBoundary name="The status">
        <Vitals />
      </ErrorBoundary>
      <PauseButton />
      <button type="button" className={styles.jump} onClick={openPalette}>
        <Search className={iconStyles.small} aria-hidden />
        <span className={textStyles.grow}>Search or jump to…</span>
        <kbd>{isMac() ? "⌘K" : "Ctrl K"}</kbd>
      </button>
    </header>
  );
}

function Crumbs() {
  const [isTrace] = useRoute("/traces/:traceId");
  const [isSession] = useRoute("/sessions/:sessionId");
  const [isComparison] = useRoute("/compare");
  const name = useTrace(({ trace, phase, traceId }) => (phase === "error" ? traceId : trace?.root_name));
  if (isTrace) {
    return (
      <div className={styles.crumbs}>
        <Link href="/traces">Traces</Link>
        <ChevronRight className={iconStyles.tiny} aria-hidden />
        <span className={textStyles.cut} data-tip={name}>
          {name ?? "…"}
        </span>
      </div>
    );
  }
  if (isComparison) return <CompareCrumbs />;
  return isSession ? <SessionCrumbs /> : <PageCrumb />;
}

function CompareCrumbs() {
  const run = useComparison(({ comparison }) => comparison?.b);
  return (
    <div className={styles.crumbs}>
      <Link href="/traces">Traces</Link>
      <ChevronRight className={iconStyles.tiny} aria-hidden />
      {run !== undefined && (
        <>
          <Link
            className={textStyles.cut}
            href={traceHref({ traceId: run.trace_id, tenant: run.tenant })}
            data-tip={run.root_name}
          >
            {run.root_name}
          </Link>
          <ChevronRight className={iconStyles.tiny} aria-hidden />
        </>
      )}
      <span>Compare</span>
    </div>
  );
}

function SessionCrumbs() {
  const name = useConversation(({ session, sessionId }) => session?.session_id ?? sessionId);
  return (
    <div className={styles.crumbs}>
      <Link href="/sessions">Sessions</Link>
      <ChevronRight className={iconStyles.tiny} aria-hidden />
      <span className={textStyles.cut} data-tip={name}>
        {name ?? "…"}
      </span>
    </div>
  );
}

function PageCrumb() {
  const path = window.location.pathname;
  return <div className={styles.crumbs}>{PAGES.find((page) => path.startsWith(page.path))?.name}</div>;
}

function Vitals() {
  const link = useConnection((connection) => connection.link);
  const status = useConnection((connection) => connection.status);
  const rates = useConnection((connection) => connection.rates);
  const paused = useTraces((traces) => traces.paused);
  const isAway = link === "disconnected";
  const rate = Math.round(status?.spans_per_second ?? 0);
  const queuePct = isAway ? 0 : (status?.queue_pct ?? 0);
  const queueTitle = status
    ? `Ingestion queue: ${formatWhole(status.queue_spans)} of ${formatWhole(status.queue_capacity)} spans`
    : "Ingestion queue";
  return (
    <div className={styles.vitals}>
      <CopyButton text={window.location.origin} name="Copy the endpoint">
        <StatusDot status={LINK_STATUS[link]} name={LINK_NAME[link]} />
        <span className={textStyles.mono}>{window.location.host}</span>
      </CopyButton>
      <span data-tip="Spans received each second">
        <Sparkline values={rates} />
        {paused ? <b>paused</b> : <b className={textStyles.number}>{isAway ? "–" : formatWhole(rate)}</b>}
        {!paused && "spans/s"}
      </span>
      <span data-tip={queueTitle}>
        Queue
        <span className={styles.meter}>
          <i style={{ width: `${Math.min(100, queuePct)}%` }} />
        </span>
        <b className={textStyles.number}>{isAway ? "–" : `${queuePct === 0 ? "0" : queuePct.toFixed(1)}%`}</b>
      </span>
    </div>
  );
}

const LINK_STATUS = { connecting: "RUNNING", live: "OK", disconnected: "ERROR" } as const;
const LINK_NAME = { connecting: "Connecting", live: "Connected", disconnected: "Disconnected" } as const;

function PauseButton() {
  const { traces } = useStores();
  const paused = useTraces((state) => state.paused);
  return (
    <button
      type="button"
      className={paused ? classNames(buttonStyles.button, buttonStyles.on) : buttonStyles.button}
      aria-pressed={paused}
      data-tip={paused ? "Show new traces  Space" : "Keep the table still  Space"}
      onClick={() => traces.getState().setPaused(!paused)}
    >
      {paused ? (
        <Play className={iconStyles.icon} aria-hidden />
      ) : (
        <Pause className={iconStyles.icon} aria-hidden />
      )}
      {paused ? "Resume" : "Pause"}
    </button>
  );
}

/** True on a Mac, where shortcuts are shown with ⌘. */
export function isMac(): boolean {
  return navigator.platform.startsWith("Mac");
}
