import { Check } from "lucide-react";
import type { ReactNode } from "react";
import { useConnection } from "../../../app-context.js";
import { formatDuration, formatOf, formatWhole } from "../../../format.js";
import { degradedWords, isInMemory, type StoreStatus } from "../../../components/store-words.js";
import { isLoopback } from "../../../loopback.js";
import { classNames } from "../../../components/class-names.js";
import iconStyles from "../../../components/icon.module.css";
import statusDotStyles from "../../../components/status-dot.module.css";
import textStyles from "../../../components/text.module.css";
import styles from "./checks.module.css";

/** Preconditions for a trace to appear, and their state. */
export function Checks() {
  const isAway = useConnection((connection) => connection.link === "disconnected");
  const status = useConnection((connection) => connection.status);
  const isUp = !isAway && status !== undefined;
  const store = status?.store;
  const isLosing = store != null && degradedWords(store)?.isLosing === true;
  const spans = status?.ledger.accepted ?? 0;
  return (
    <dl className={styles.checks}>
      <Item name="Collector runs" isMet={isUp} isFailed={isAway}>
        {status && `v${status.version} · ${shortUptime(status.uptime_seconds)}`}
      </Item>
      <Item name="Port is open" isMet={isUp} isFailed={isAway}>
        {isLoopback() ? "this machine only" : window.location.host}
      </Item>
      <Item
        name="Store is ready"
        isMet={isUp && store != null && !isLosing}
        isFailed={store === null || isLosing}
      >
        {store && (isLosing ? "keeps no spans" : placeText(store))}
        {store === null && "off"}
      </Item>
      <Item name="First span" isMet={spans > 0} isFailed={false}>
        {spans === 0 ? "waiting" : `${formatWhole(spans)} received, none kept now`}
      </Item>
    </dl>
  );
}

/** `0 of 10,000 traces, in memory`. */
function placeText(store: StoreStatus): string {
  return `${formatOf(store.traces, store.max_traces)} traces, ${isInMemory(store) ? "in memory" : "on disk"}`;
}

interface ItemProps {
  readonly name: string;
  readonly isMet: boolean;
  readonly isFailed: boolean;
  readonly children: ReactNode;
}

function Item({ name, isMet, isFailed, children }: ItemProps) {
  return (
    <div>
      <dt>
        {isMet ? (
          <Check className={classNames(iconStyles.icon, textStyles.ok)} aria-label="Done" />
        ) : (
          <Unmet isFailed={isFailed} />
        )}
        {name}
      </dt>
      <dd className={textStyles.mono}>{children}</dd>
    </div>
  );
}

function Unmet({ isFailed }: { isFailed: boolean }) {
  const name = isFailed ? "Failed" : "Waiting";
  return (
    <i className={isFailed ? statusDotStyles.error : statusDotStyles.running} role="img" aria-label={name} />
  );
}

/** `38 s`: whole seconds, which do not flicker. */
function shortUptime(seconds: number): string {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const { value, unit } = formatDuration(Math.floor(seconds) * 1000);
  return `${value} ${unit}`;
}
