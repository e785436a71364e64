import type { TraceSummary } from "@obspan/collector-core/api-schema";
import { memo } from "react";
import { StatusDot } from "../../components/status-dot.js";
import { durationText } from "../../format.js";
import { rowKeyOf } from "../../store/trace-key.js";
import { costOfSum, costText } from "../trace/cost.js";
import { classNames } from "../../components/class-names.js";
import textStyles from "../../components/text.module.css";
import styles from "./turn-strip.module.css";

/** Turns in the strip: the last ones. */
const SHOWN = 10;

interface TurnStripProps {
  readonly turns: readonly TraceSummary[];
  /** The number of a turn by its index. */
  readonly numberOf: (index: number) => number;
  readonly selected: TraceSummary | undefined;
  readonly onSelect: (turn: TraceSummary) => void;
}

/** What each of the last turns cost, or how long it took if none has a cost. */
export const TurnStrip = memo(function TurnStrip({ turns, numberOf, selected, onSelect }: TurnStripProps) {
  const from = Math.max(0, turns.length - SHOWN);
  const shown = turns.slice(from);
  const hasCost = shown.some(({ cost_usd: cost }) => cost > 0);
  const amountOf = (turn: TraceSummary): number => (hasCost ? turn.cost_usd : turn.duration_ms);
  const most = Math.max(...shown.map(amountOf), Number.MIN_VALUE);
  return (
    <nav className={styles.strip} aria-label="Turns">
      <span className={classNames(textStyles.faint, styles.name)}>
        {hasCost ? "Cost by turn" : "Time by turn"}
      </span>
      {shown.map((turn, index) => {
        const number = numberOf(from + index);
        const amount = hasCost ? costText(costOfSum(turn)) : durationText(turn.duration_ms);
        const isOn = turn === selected;
        return (
          <button
            key={rowKeyOf(turn)}
            type="button"
            className={classNames(styles.turn, isOn && styles.on, turn.running && styles.live)}
            aria-current={isOn ? "true" : undefined}
            data-tip={`Turn ${number}: ${amount}`}
            style={{ flexGrow: 0.2 + amountOf(turn) / most }}
            onClick={() => onSelect(turn)}
          >
            <i style={{ width: `${Math.max(4, (100 * amountOf(turn)) / most)}%` }} aria-hidden />
            <span>
              <b>{number}</b>
              {(turn.status === "ERROR" || turn.error_count > 0) && (
                <StatusDot status="ERROR" name="has errors" />
              )}
              {turn.running && <StatusDot status="RUNNING" name="running" />}
              <span className={classNames(textStyles.number, styles.amount)}>{amount}</span>
            </span>
          </button>
        );
      })}
    </nav>
  );
});
