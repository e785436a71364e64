import type { TraceSummary } from "@obspan/collector-core/api-schema";
import { memo, useRef } from "react";
import { useElementWidth } from "../../components/use-element-width.js";
import { StatusDot } from "../../components/status-dot.js";
import { durationText } from "../../format.js";
import { rowKeyOf } from "../../store/trace-key.js";
import { costOfSum, costText } from "../trace/cost.js";
import { longestBar } from "./model/bar-widths.js";
import { classNames } from "../../components/class-names.js";
import textStyles from "../../components/text.module.css";
import styles from "./turn-strip.module.css";

/** Turns in the strip: the last ones. */
const SHOWN = 10;
/** Pixels of a turn's number, and of its number and amount. */
const NUMBER_WIDTH = 32;
const AMOUNT_WIDTH = 84;
/** Pixels of the sign of a computed amount. */
const SIGN_WIDTH = 13;
/** Pixels between two turns, as in the style sheet. */
const GAP = 3;
/** Pixels of a bar. */
const LONGEST_BAR = 224;
const SHORTEST_BAR = 4;

interface TurnStripProps {
  readonly turns: readonly TraceSummary[];
  /** The number of a turn by its index. */
  readonly numberOf: (index: number) => number;
  readonly selected: TraceSummary | undefined;
  readonly onSelect: (turn: TraceSummary) => void;
}

/** What each of the last turns cost, or how long it took if none has a cost. */
export const TurnStrip = memo(function TurnStrip({ turns, numberOf, selected, onSelect }: TurnStripProps) {
  const list = useRef<HTMLDivElement>(null);
  const room = useElementWidth(list);
  const fitting = 1 + Math.floor((room - AMOUNT_WIDTH - SIGN_WIDTH) / (NUMBER_WIDTH + GAP));
  const from = Math.max(0, turns.length - Math.max(1, Math.min(SHOWN, fitting)));
  const shown = turns.slice(from);
  const hasCost = shown.some(({ cost_usd: cost }) => cost > 0);
  const hasSign = hasCost && shown.some(({ cost_source: source }) => source === "computed");
  const amountPx = AMOUNT_WIDTH + (hasSign ? SIGN_WIDTH : 0);
  const amountOf = (turn: TraceSummary): number => (hasCost ? turn.cost_usd : turn.duration_ms);
  const most = Math.max(...shown.map(amountOf), Number.MIN_VALUE);
  const roomOfParts = room - GAP * (shown.length - 1);
  const partsOf = (textPx: number) =>
    shown.map((turn) => ({
      turn,
      share: amountOf(turn) / most,
      textPx: turn === selected ? amountPx : textPx,
    }));
  // The selected turn always has its amount; the others while they leave enough room for the bars.
  const wide = partsOf(amountPx);
  const parts = longestBar(wide, roomOfParts) < 2 * amountPx ? partsOf(NUMBER_WIDTH) : wide;
  const longest = Math.min(LONGEST_BAR, longestBar(parts, roomOfParts));
  return (
    <nav className={styles.strip} aria-label="Turns">
      <span className={classNames(textStyles.faint, styles.name)}>
        {hasCost ? "Cost by turn" : "Time by turn"}
      </span>
      <div ref={list} className={styles.turns}>
        {parts.map(({ turn, share, textPx }, index) => {
          const barPx = Math.max(SHORTEST_BAR, share * longest);
          const number = numberOf(from + index);
          const amount = hasCost ? costText(costOfSum(turn)) : durationText(turn.duration_ms);
          const isOn = turn === selected;
          return (
            <button
              key={rowKeyOf(turn)}
              type="button"
              className={classNames(
                styles.turn,
                isOn && styles.on,
                turn.running && styles.live,
                hasSign && styles.signed,
              )}
              aria-current={isOn ? "true" : undefined}
              data-tip={`Turn ${number}: ${amount}`}
              style={{ width: Math.max(textPx, barPx) }}
              onClick={() => onSelect(turn)}
            >
              <i style={{ width: barPx }} aria-hidden />
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
      </div>
    </nav>
  );
});
