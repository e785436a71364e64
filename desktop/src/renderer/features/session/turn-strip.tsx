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
/** Pixels of a turn's number, and at most of its number and amount. */
const NUMBER_WIDTH = 32;
const AMOUNT_WIDTH = 97;
/** Pixels of a letter, and of a space or a dot between the number and the amount. */
const LETTER_WIDTH = 6.3;
const SPACE_WIDTH = 5;
const DOT_WIDTH = 11;
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
  const fitting = 1 + Math.floor((room - AMOUNT_WIDTH) / (NUMBER_WIDTH + GAP));
  const from = Math.max(0, turns.length - Math.max(1, Math.min(SHOWN, fitting)));
  const shown = turns.slice(from);
  const hasCost = shown.some(({ cost_usd: cost }) => cost > 0);
  const amountOf = (turn: TraceSummary): number => (hasCost ? turn.cost_usd : turn.duration_ms);
  const most = Math.max(...shown.map(amountOf), Number.MIN_VALUE);
  const roomOfParts = room - GAP * (shown.length - 1);
  const labels = shown.map((turn, index) => {
    const number = numberOf(from + index);
    const amount = hasCost ? costText(costOfSum(turn)) : durationText(turn.duration_ms);
    const isFailed = turn.status === "ERROR" || turn.error_count > 0;
    const letters = String(number).length + amount.length;
    const dots = Number(isFailed) + Number(turn.running);
    const px = Math.ceil(letters * LETTER_WIDTH + SPACE_WIDTH + dots * DOT_WIDTH);
    return { turn, number, amount, isFailed, px };
  });
  const partsOf = (isWide: boolean) =>
    labels.map((label) => ({
      ...label,
      share: amountOf(label.turn) / most,
      textPx: isWide || label.turn === selected ? label.px : NUMBER_WIDTH,
    }));
  // The selected turn always has its amount; the others while they leave enough room for the bars.
  const wide = partsOf(true);
  const parts = longestBar(wide, roomOfParts) < 2 * AMOUNT_WIDTH ? partsOf(false) : wide;
  const longest = Math.min(LONGEST_BAR, longestBar(parts, roomOfParts));
  return (
    <nav className={styles.strip} aria-label="Turns">
      <span className={classNames(textStyles.faint, styles.name)}>
        {hasCost ? "Cost by turn" : "Time by turn"}
      </span>
      <div ref={list} className={styles.turns}>
        {parts.map(({ turn, number, amount, isFailed, px, share, textPx }) => {
          const barPx = Math.max(SHORTEST_BAR, share * longest);
          const width = Math.max(textPx, barPx);
          const isOn = turn === selected;
          return (
            <button
              key={rowKeyOf(turn)}
              type="button"
              className={classNames(styles.turn, isOn && styles.on, turn.running && styles.live)}
              aria-current={isOn ? "true" : undefined}
              data-tip={`Turn ${number}: ${amount}`}
              style={{ width }}
              onClick={() => onSelect(turn)}
            >
              <i style={{ width: barPx }} aria-hidden />
              <span>
                <b>{number}</b>
                {isFailed && <StatusDot status="ERROR" name="has errors" />}
                {turn.running && <StatusDot status="RUNNING" name="running" />}
                {/* Where it does not fit, the tooltip has it. */}
                {px <= width && (
                  <span className={classNames(textStyles.number, styles.amount)}>{amount}</span>
                )}
              </span>
            </button>
          );
        })}
      </div>
    </nav>
  );
});
