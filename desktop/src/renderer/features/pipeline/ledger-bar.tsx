import type { LiveStatus } from "@obspan/collector-core/api-schema";
import { Check, TriangleAlert } from "lucide-react";
import { Segmented, type SegmentedChoice } from "../../components/segmented.js";
import { formatWhole } from "../../format.js";
import type { Counters } from "./counters.js";
import { classNames } from "../../components/class-names.js";
import badgeStyles from "../../components/badge.module.css";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./ledger-bar.module.css";

export type LedgerScope = "start" | "recent";

const SCOPES: readonly SegmentedChoice<LedgerScope>[] = [
  { value: "start", content: "Since start" },
  { value: "recent", content: "Last 5 m" },
];

interface LedgerBarProps {
  readonly ledger: LiveStatus["ledger"] | undefined;
  readonly recent: Counters | undefined;
  readonly scope: LedgerScope;
  readonly onScope: (scope: LedgerScope) => void;
}

/** The ledger equations (contract 4, "The ledger"). */
export function LedgerBar({ ledger, recent, scope, onScope }: LedgerBarProps) {
  const figures = scope === "start" ? sinceStart(ledger) : sinceRecently(recent);
  return (
    <div className={styles.ledger}>
      <div className={styles.equations}>
        <div className={styles.equation}>
          <Figure name="Received" value={figures?.received} />
          <Operator>=</Operator>
          <Figure name="Accepted" value={figures?.accepted} />
          <Operator>+</Operator>
          <Figure name="Rejected" value={figures?.rejected} isLoss />
          {figures !== undefined && (
            <Balance isBalanced={figures.received === figures.accepted + figures.rejected} />
          )}
        </div>
        <i className={styles.sep} />
        <div className={styles.equation}>
          <Figure name="Accepted" value={figures?.accepted} />
          <Operator>=</Operator>
          <Figure name="Processed" value={figures?.processed} />
          <Operator>+</Operator>
          <Figure name="Dropped" value={figures?.dropped} isLoss />
          <Operator>+</Operator>
          <Figure name="Queued, in flight" value={figures?.waiting} />
          {figures !== undefined && (
            <Balance
              isBalanced={figures.accepted === figures.processed + figures.dropped + figures.waiting}
            />
          )}
        </div>
      </div>
      <Segmented label="Counted" choices={SCOPES} chosen={scope} onChoose={onScope} />
    </div>
  );
}

interface LedgerFigures {
  readonly received: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly processed: number;
  readonly dropped: number;
  readonly waiting: number;
}

function sinceStart(ledger: LiveStatus["ledger"] | undefined): LedgerFigures | undefined {
  if (ledger === undefined) return undefined;
  const sum = (counts: Readonly<Record<string, number>>) =>
    Object.values(counts).reduce((total, count) => total + count, 0);
  return {
    received: ledger.received,
    accepted: ledger.accepted,
    rejected: sum(ledger.rejected),
    processed: ledger.processed,
    dropped: sum(ledger.dropped),
    waiting: ledger.queued + ledger.in_flight,
  };
}

/** For a period, waiting spans are those accepted and not yet processed; spans that wait now may have come earlier. */
function sinceRecently(counters: Counters | undefined): LedgerFigures | undefined {
  if (counters === undefined) return undefined;
  const accepted = counters.sum("obs_spans_accepted_total");
  const processed = counters.sum("obs_spans_processed_total");
  const dropped = counters.sum("obs_spans_dropped_total");
  return {
    received: counters.sum("obs_spans_received_total"),
    accepted,
    rejected: counters.sum("obs_spans_rejected_total"),
    processed,
    dropped,
    waiting: accepted - processed - dropped,
  };
}

function Figure({
  name,
  value,
  isLoss = false,
}: {
  name: string;
  value: number | undefined;
  isLoss?: boolean;
}) {
  return (
    <span className={styles.figure}>
      <span className={textStyles.faint}>{name}</span>
      <b
        className={
          isLoss && (value ?? 0) > 0 ? classNames(textStyles.number, textStyles.error) : textStyles.number
        }
      >
        {value === undefined ? "–" : formatWhole(value)}
      </b>
    </span>
  );
}

function Operator({ children }: { children: string }) {
  return <span className={styles.operator}>{children}</span>;
}

function Balance({ isBalanced }: { isBalanced: boolean }) {
  return isBalanced ? (
    <span className={badgeStyles.ok}>
      <Check className={iconStyles.tiny} aria-hidden />
      balanced
    </span>
  ) : (
    <span className={badgeStyles.warn} data-tip="Some spans are between two counters right now">
      <TriangleAlert className={iconStyles.tiny} aria-hidden />
      counting
    </span>
  );
}
